/** Reads the account endpoints, with each key that no other scenario measures. Spec §4.8. */

import { ROUTES } from "../../contract/requests/routes.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Step } from "./step.ts";
import { nothing } from "./step.ts";

const ACCOUNT_ROUTES = ["me", "credits", "deployments"] as const;
const PROMISES = ["account.readable"] as const;

export const accountStep: Step = {
  name: "account: plan, credits, deployments",
  promises: PROMISES,
  async run(context) {
    const { caller, plan } = context;
    if (caller === null) return nothing("the plan names no active key", PROMISES);
    const value = await Promise.all(
      keysOf(plan).flatMap((key) =>
        ACCOUNT_ROUTES.map(async (route) => ({
          what: key === caller ? ROUTES[route] : `${ROUTES[route]} with key ${key}`,
          ...(await context.askAgain({ method: "GET", route, key })),
        })),
      ),
    );
    return [{ kind: "contract.account", value }];
  },
};

/** Nobody else sends with these while the scenario runs. */
function keysOf({ roles }: RunPlan): readonly string[] {
  return [roles.caller, roles.stranger, roles.exhausted].flatMap((key) => key ?? []);
}
