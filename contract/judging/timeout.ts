/** Judges the group `timeout` by the jobs that exceeded a worker's limit, or stayed below it. */

import { jobsInPassing } from "../judges/passing.ts";
import { boundsOf } from "../judges/timeout/bounds.ts";
import { judgeTimeouts } from "../judges/timeout/index.ts";
import { timeoutMeasurement, timeoutSeries } from "../judges/timeout/measurement.ts";
import { valuesOf } from "../observation.ts";
import type { ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";

export const judgeTimeout: ScenarioJudge = (observations, { times }) => {
  const [trial] = valuesOf(observations, "timeout.trial");
  if (trial === undefined) return NO_JUDGEMENT;
  const { worker, limitSeconds, beyond, below, balances, lagMs, without } = trial;
  const bounds = boundsOf(limitSeconds, times);
  const [balance, ...others] = balances;
  const value = timeoutMeasurement(worker, bounds, beyond, lagMs);
  return {
    findings: [
      ...judgeTimeouts({
        bounds,
        beyond,
        below,
        balance: balance === undefined || others.length > 0 ? null : balance,
        without,
      }),
      ...jobsInPassing(
        [...beyond, ...below].map(({ history }) => history),
        "at limits",
      ),
    ],
    measurements: [{ group: "timeout", value }],
    series: [{ group: "timeout", value: timeoutSeries(worker, bounds, beyond) }],
    notes: [],
  };
};
