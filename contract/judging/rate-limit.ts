/** Judges the group `rate` by what was done to each key. */

import { judgeAccountOfKeys } from "../judges/account.ts";
import { judgeAllEndpoints, judgePerKey } from "../judges/rate/isolation.ts";
import { judgeLimited, judgeWithinPlan } from "../judges/rate/limited.ts";
import { measurementOf } from "../judges/rate/measurement.ts";
import { judgeBurst, judgeSustained } from "../judges/rate/quantities.ts";
import { judgeRejectedNotRun } from "../judges/rate/rejected-not-run.ts";
import {
  judgeRetryAfterNotExcessive,
  judgeRetryAfterPresent,
  judgeRetryAfterSufficient,
  judgeRetryAfterValid,
  longRetryAfterNote,
} from "../judges/rate/retry-after.ts";
import { rateSeries } from "../judges/rate/series.ts";
import type { KeyTrial } from "../judges/rate/trial.ts";
import { allShots } from "../judges/rate/trial.ts";
import { valuesOf } from "../observation.ts";
import type { Tolerances } from "../run-plan.ts";
import type { Finding } from "../verdict.ts";
import { mergeFindings } from "../verdict.ts";
import type { ScenarioJudge } from "./judgement.ts";

type KeyJudge = (trial: KeyTrial, tolerances: Tolerances) => Finding;

const KEY_JUDGES: readonly KeyJudge[] = [
  judgeLimited,
  judgeSustained,
  judgeBurst,
  judgeWithinPlan,
  judgeRetryAfterPresent,
  judgeRetryAfterValid,
  judgeRetryAfterSufficient,
  judgeRetryAfterNotExcessive,
  judgeAllEndpoints,
];

export const judgeRateLimit: ScenarioJudge = (observations, { tolerances }) => {
  const trials = valuesOf(observations, "rate.key");
  const rejected = valuesOf(observations, "rate.rejected");
  return {
    findings: [
      ...(trials.length === 0 ? [] : judgeTrials(trials, tolerances)),
      ...judgeAccountOfKeys(
        trials.map((trial) => ({ key: trial.key, exchanges: allShots(trial) })),
      ),
      judgePerKey(valuesOf(observations, "rate.isolation")),
      ...rejected.map(({ rounds, reason }) => judgeRejectedNotRun(rounds, reason)),
    ],
    measurements: trials.map((trial) => ({ group: "rate", value: measurementOf(trial) })),
    series: trials.map((trial) => ({ group: "rate", value: rateSeries(trial, tolerances) })),
    notes: trials.flatMap((trial) => longRetryAfterNote(trial) ?? []),
  };
};

function judgeTrials(trials: readonly KeyTrial[], tolerances: Tolerances): Finding[] {
  return KEY_JUDGES.map((judge) => mergeFindings(trials.map((trial) => judge(trial, tolerances))));
}
