/** Reads the account endpoints. Spec §4.8. */

import { judgeAccountReadable } from "../../contract/judges/account.ts";
import { unobserved } from "../../contract/verdict.ts";
import type { Step } from "./step.ts";

const ROUTES = ["me", "credits", "deployments"] as const;

export const accountStep: Step = {
  name: "account: plan, credits, deployments",
  promises: ["account.readable"],
  async run(context) {
    const key = context.caller;
    if (key === null) return [unobserved("account.readable", "the plan names no active key")];
    const cases = await Promise.all(
      ROUTES.map(async (route) => ({
        what: route,
        attempts: await context.askAgain({ method: "GET", route, key }),
      })),
    );
    return [judgeAccountReadable(cases)];
  },
};
