/** Judges the group `rate` by what was done to each key. */

import { judgeAccountOfKeys } from "../judges/account.ts";
import { judgeAdmissions, readsOf, watchedReads } from "../judges/rate/admissions.ts";
import { judgeAllEndpoints, judgePerKey } from "../judges/rate/isolation.ts";
import { judgeLimited, judgeWithinPlan } from "../judges/rate/limited.ts";
import { measurementOf } from "../judges/rate/measurement.ts";
import { judgeBurst, judgeLongRests, judgeSustained } from "../judges/rate/quantities.ts";
import { judgeRejectedNotRun } from "../judges/rate/rejected-not-run.ts";
import {
  judgeRetryAfterNotExcessive,
  judgeRetryAfterPresent,
  judgeRetryAfterSufficient,
  judgeRetryAfterValid,
  longRetryAfterNote,
} from "../judges/rate/retry-after.ts";
import { rateSeries } from "../judges/rate/series.ts";
import type { KeyTrial, Watch } from "../judges/rate/trial.ts";
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

export const judgeRateLimit: ScenarioJudge = (observations, { tolerances, roles }) => {
  const trials = valuesOf(observations, "rate.key");
  const watches = valuesOf(observations, "rate.watch");
  const rejected = valuesOf(observations, "rate.rejected");
  const untried = roles.limited.filter((name) => trials.every(({ key }) => key !== name));
  const findings = mergedByPromise([
    ...trials.flatMap((trial) => judgeTrial(trial, tolerances)),
    ...judgeAccountOfKeys(trials.map((trial) => ({ key: trial.key, exchanges: allShots(trial) }))),
    ...watches.flatMap((watch) => judgeWatch(watch, tolerances)),
    judgePerKey(valuesOf(observations, "rate.isolation")),
    ...rejected.map(({ rounds, reason }) => judgeRejectedNotRun(rounds, reason)),
  ]);
  return {
    findings: findings.map((finding) => withoutKeys(finding, untried)),
    measurements: trials.map((trial) => ({ group: "rate", value: measurementOf(trial) })),
    series: trials.map((trial) => ({ group: "rate", value: rateSeries(trial, tolerances) })),
    notes: trials.flatMap((trial) => longRetryAfterNote(trial) ?? []),
  };
};

/** Keys that were left alone, as none can exceed their limits, are no part of what was seen. */
function withoutKeys(finding: Finding, untried: readonly string[]): Finding {
  const { strength } = finding;
  if (strength === undefined || untried.length === 0) return finding;
  const notTried = [...strength.notTried, ...untried.map((name) => `the limits of ${name}`)];
  return { ...finding, strength: { ...strength, notTried } };
}

function judgeTrial(trial: KeyTrial, tolerances: Tolerances): Finding[] {
  const findings = KEY_JUDGES.map((judge) => judge(trial, tolerances));
  return [...findings, judgeAdmissions(trial, readsOf(trial), tolerances) ?? []].flat();
}

function judgeWatch(watch: Watch, tolerances: Tolerances): Finding[] {
  const excess = judgeAdmissions(watch, watchedReads(watch), tolerances);
  return [judgeLongRests(watch, tolerances), excess].filter((each) => each !== null);
}

function mergedByPromise(findings: readonly Finding[]): Finding[] {
  const promises = [...new Set(findings.map(({ promise }) => promise))];
  return promises.map((promise) =>
    mergeFindings(findings.filter((each) => each.promise === promise)),
  );
}
