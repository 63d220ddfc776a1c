/** Reads the account endpoints. Spec §4.8. */

import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

const ROUTES = ["me", "credits", "deployments"] as const;
const PROMISES = ["account.readable"] as const;

export const accountStep: Step = {
  name: "account: plan, credits, deployments",
  promises: PROMISES,
  async run(context) {
    const key = context.caller;
    if (key === null) return nothing("the plan names no active key", PROMISES);
    const value = await Promise.all(
      ROUTES.map(async (route) => ({
        what: route,
        ...(await context.askAgain({ method: "GET", route, key })),
      })),
    );
    return [{ kind: "contract.account", value }];
  },
};
