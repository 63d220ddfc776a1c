/** Judges the group `timeout` by the jobs that exceeded a worker's limit, or stayed below it. */

import { judgeChargedOnce } from "../judges/job/charged-once.ts";
import { COST_DUE_MS } from "../judges/job/shape.ts";
import { jobsInPassing } from "../judges/passing.ts";
import { boundsOf } from "../judges/timeout/bounds.ts";
import { judgeTimeouts, limitTrial } from "../judges/timeout/index.ts";
import { timeoutMeasurement, timeoutSeries } from "../judges/timeout/measurement.ts";
import { valuesOf } from "../run/observation.ts";
import { ownMs } from "../time/promised-times.ts";
import type { ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";

export const judgeTimeout: ScenarioJudge = (observations, { times }) => {
  const [trial] = valuesOf(observations, "timeout.trial");
  if (trial === undefined) return NO_JUDGEMENT;
  const { worker, limitSeconds, beyond, below, balances, lagMs, without } = trial;
  const [balance = null, ...others] = balances;
  const heldMs = ownMs(times, COST_DUE_MS);
  const read = limitTrial({
    bounds: boundsOf(limitSeconds, times),
    heldMs,
    beyond,
    below,
    balance: others.length > 0 ? null : balance,
    without,
  });
  const histories = [...beyond, ...below].map(({ history }) => history);
  const charged = read.balance === null ? [] : judgeChargedOnce(read.balance, heldMs);
  return {
    findings: [...judgeTimeouts(read), ...jobsInPassing(histories, "at limits", charged)],
    measurements: [{ group: "timeout", value: timeoutMeasurement(worker, read, lagMs) }],
    series: [{ group: "timeout", value: timeoutSeries(worker, read) }],
    notes: [],
  };
};
