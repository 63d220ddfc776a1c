/** Judges the group `timeout` by the jobs that exceeded a worker's limit, or stayed below it. */

import { boundsOf } from "../judges/timeout/bounds.ts";
import { timeoutMeasurement, timeoutSeries } from "../judges/timeout/measurement.ts";
import { roundsNeeded } from "../judges/timeout/rounds.ts";
import { judgeTimeouts } from "../judges/timeout.ts";
import { valuesOf } from "../observation.ts";
import type { ScenarioJudge } from "./judgement.ts";
import { NO_JUDGEMENT } from "./judgement.ts";

export const judgeTimeout: ScenarioJudge = (observations, { tolerances, timeScale }) => {
  const [trial] = valuesOf(observations, "timeout.trial");
  if (trial === undefined) return NO_JUDGEMENT;
  const { worker, limitSeconds, beyond, below, rounds, balances, lagMs, without } = trial;
  const bounds = boundsOf(limitSeconds, tolerances, timeScale);
  const last = beyond.filter(({ round }) => round === rounds);
  const [balance, ...others] = balances;
  const value = timeoutMeasurement(worker, bounds, last, lagMs);
  return {
    findings: judgeTimeouts({
      bounds,
      beyond,
      below,
      roundsNeeded: roundsNeeded(timeScale),
      balance: balance === undefined || others.length > 0 ? null : balance,
      without,
    }),
    measurements: [{ group: "timeout", value }],
    series: [{ group: "timeout", value: timeoutSeries(worker, bounds, last) }],
    notes: [],
  };
};
