/** How the keys share the jobs of a step, and how fast they may ask for them. */

import { newKeyWatch } from "../../contract/judges/load/within-plan.ts";
import { keyRate } from "../../contract/limits/capacity-rates.ts";
import type { CapacityOrder } from "../../contract/run/capacity-step.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { pacerAt } from "../client/pacer.ts";
import { planKey } from "../client/plan.ts";
import type { Rates } from "../load/offered/rates.ts";
import type { World } from "../world/world.ts";

/** Ours: where webhooks come, a poll of an overdue job now and then. */
const POLLS_PER_SECOND_MIN = 1;
/** Ours: without webhooks each job is asked for about twice. */
const POLLS_A_JOB = 2;
/** Ours: polls of jobs that end together go out together. */
const POLL_SLACK = 5;

/** The step's rate over the keys of the role `loaded`, by what their plans sustain. */
export function stepRates(
  world: World,
  plan: RunPlan,
  { ratePerSecond, beyondPlan }: CapacityOrder,
): Rates {
  const keys = plan.roles.loaded.map((name) => planKey(plan, name));
  const total = keys.reduce((sum, key) => sum + keyRate(key), 0);
  return {
    jobsPerSecond: ratePerSecond,
    keys: keys.map((key) => {
      const submitPerSecond = (ratePerSecond * keyRate(key)) / total;
      const room = keyRate(key) - submitPerSecond;
      const wanted = plan.receiver === null ? submitPerSecond * POLLS_A_JOB : POLLS_PER_SECOND_MIN;
      const polls = beyondPlan ? Math.max(room, wanted) : Math.max(room, 0.1);
      const { name, account } = key;
      const pacer = pacerAt(world, polls, POLL_SLACK);
      // A search may go beyond the plan: what it is refused says nothing of it.
      const watch = newKeyWatch(null);
      return { name, account, submitPerSecond, pacer, heldUntilMs: 0, isListed: false, watch };
    }),
  };
}
