/** How the keys share the load, so that all requests of a job stay within their plans. */

import type { KeyWatch } from "../../../contract/judges/load/within-plan.ts";
import { newKeyWatch } from "../../../contract/judges/load/within-plan.ts";
import { declaredLimit } from "../../../contract/plans.ts";
import type { RunPlan } from "../../../contract/run/run-plan.ts";
import type { Pacer } from "../../client/pacer.ts";
import { pacePerSecond, pacerAt } from "../../client/pacer.ts";
import { planKey } from "../../client/plan.ts";
import type { World } from "../../world/world.ts";

export interface LoadedKey {
  name: string;
  account: string | null;
  /** Submissions per second; they follow the schedule and wait for no pacer. */
  submitPerSecond: number;
  /** Paces everything else. */
  pacer: Pacer;
  /** No submission before that time: the key met a 429. */
  heldUntilMs: number;
  /** The list of recent jobs shows its jobs with their states. */
  isListed: boolean;
  /** Its requests of late, by which a 429 is judged. */
  watch: KeyWatch;
}

export interface Rates {
  keys: readonly LoadedKey[];
  jobsPerSecond: number;
}

/**
 * Ours: a submission, a poll at the end, and a few for jobs that need more; without webhooks some
 * jobs are asked for twice before they have ended.
 */
const REQUESTS_A_JOB = { withWebhooks: 2.2, withPolls: 3 };
/** Ours: polls of jobs that end together go out together, within a small part of the burst. */
const POLL_SLACK_MAX = 10;
const POLL_SLACK_SHARE = 0.1;

/**
 * The rate asked for, or the highest that the keys' plans allow unless the load goes beyond them;
 * null without any key.
 */
export function ratesOf(world: World, plan: RunPlan, cancelShare: number): Rates | null {
  const keys = plan.roles.loaded.map((name) => planKey(plan, name));
  if (keys.length === 0 || plan.load === null) return null;
  const perJob = plan.receiver === null ? REQUESTS_A_JOB.withPolls : REQUESTS_A_JOB.withWebhooks;
  const paces = keys.map((key) => pacePerSecond(key));
  const total = paces.reduce((sum, pace) => sum + pace, 0);
  const { beyondPlan, jobsPerSecond: wanted } = plan.load;
  const jobsPerSecond = beyondPlan ? wanted : Math.min(wanted, total / perJob);
  return {
    jobsPerSecond,
    keys: keys.map((key, index) => {
      const { name, account, burst } = key;
      const pace = paces[index] ?? 0;
      const submitPerSecond = (jobsPerSecond * pace) / total;
      const slack = Math.min(POLL_SLACK_MAX, Math.floor((burst ?? 0) * POLL_SLACK_SHARE));
      const room = pace - submitPerSecond * (1 + cancelShare);
      const needed = submitPerSecond * (perJob - 1);
      const pacer = pacerAt(world, beyondPlan ? Math.max(room, needed) : room, slack);
      // Beyond its plan a key may be refused: that says nothing.
      const watch = newKeyWatch(beyondPlan ? null : declaredLimit(key));
      return { name, account, submitPerSecond, pacer, heldUntilMs: 0, isListed: false, watch };
    }),
  };
}
