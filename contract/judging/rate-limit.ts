/** Judges the group `rate` by what was done to each key. */

import { judgeAccountOfKeys } from "../judges/account.ts";
import { judgeAdmissions, readsOf, watchedReads } from "../judges/rate/admissions.ts";
import { allEndpointsClaim } from "../judges/rate/all-endpoints.ts";
import { judgeBurst, judgeLongRests } from "../judges/rate/burst.ts";
import { limitedClaim } from "../judges/rate/limited.ts";
import { measurementOf } from "../judges/rate/measurement.ts";
import { perKeyClaim } from "../judges/rate/per-key.ts";
import { rejectedNotRunClaim } from "../judges/rate/rejected-not-run.ts";
import { longRetryAfterNote, notExcessiveClaim } from "../judges/rate/retry-after-not-excessive.ts";
import { presentClaim } from "../judges/rate/retry-after-present.ts";
import { sufficientClaim } from "../judges/rate/retry-after-sufficient.ts";
import { validClaim } from "../judges/rate/retry-after-valid.ts";
import { rateSeries } from "../judges/rate/series.ts";
import { judgeSustained } from "../judges/rate/sustained.ts";
import type { KeyTrial, Watch } from "../judges/rate/trial.ts";
import { allShots } from "../judges/rate/trial.ts";
import { withinPlanClaim } from "../judges/rate/within-plan.ts";
import { valuesOf } from "../observation.ts";
import type { Tolerances } from "../run-plan.ts";
import type { Finding } from "../verdict.ts";
import { mergeFindings } from "../verdict.ts";
import type { Claim } from "./claim.ts";
import { decide } from "./decide.ts";
import type { ScenarioJudge } from "./judgement.ts";

type ClaimOf = (trials: readonly KeyTrial[], tolerances: Tolerances) => Claim;

const CLAIMS: readonly ClaimOf[] = [
  limitedClaim,
  withinPlanClaim,
  presentClaim,
  validClaim,
  sufficientClaim,
  notExcessiveClaim,
  allEndpointsClaim,
];

export const judgeRateLimit: ScenarioJudge = (observations, { tolerances, roles }) => {
  const trials = valuesOf(observations, "rate.key");
  const watches = valuesOf(observations, "rate.watch");
  const rejected = valuesOf(observations, "rate.rejected");
  const untried = roles.limited.filter((name) => trials.every(({ key }) => key !== name));
  const findings = mergedByPromise([
    ...(trials.length === 0 ? [] : CLAIMS.map((claimOf) => decide(claimOf(trials, tolerances)))),
    ...trials.flatMap((trial) => judgeTrial(trial, tolerances)),
    ...judgeAccountOfKeys(trials.map((trial) => ({ key: trial.key, exchanges: allShots(trial) }))),
    ...watches.flatMap((watch) => judgeWatch(watch, tolerances)),
    decide(perKeyClaim(valuesOf(observations, "rate.isolation"))),
    ...rejected.map((stage) => decide(rejectedNotRunClaim(stage))),
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
  const findings = [judgeSustained(trial, tolerances), judgeBurst(trial, tolerances)];
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
