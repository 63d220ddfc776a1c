/** How much longer to wait on a machine that is late; asked for with every job. */

import { lagAllowanceMs, machineDoubt } from "../../contract/judges/load/generator.ts";
import { hostLagOf } from "../../contract/judges/load/reading.ts";
import type { Soak } from "./soak.ts";

/** Ours: on a machine that is no measure of anything, jobs and webhooks are waited for longer. */
const OVERLOADED_SLACK_MS = 10_000;
const LOOK_MS = 1_000;

/** How much longer than usual a job or a webhook may take for this machine's sake. */
export function machineSlackMs(soak: Soak): number {
  const nowMs = soak.context.world.now();
  if (soak.slack !== null && nowMs - soak.slack.atMs < LOOK_MS) return soak.slack.ms;
  const lag = hostLagOf(soak.tally);
  const overloadedMs = machineDoubt(lag) === null ? 0 : OVERLOADED_SLACK_MS;
  soak.slack = { atMs: nowMs, ms: lagAllowanceMs(lag.wholeMs) + overloadedMs };
  return soak.slack.ms;
}
