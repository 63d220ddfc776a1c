/** Judges the group `rate` by what was done to each key. */

import { judgeAccountOfKeys } from "../judges/account.ts";
import { judgeAccountNamed } from "../judges/account-named.ts";
import { allEndpointsClaim } from "../judges/rate/all-endpoints.ts";
import { burstClaim } from "../judges/rate/burst.ts";
import { earnedNotes } from "../judges/rate/earned-note.ts";
import { limitedClaim } from "../judges/rate/limited.ts";
import type { MeasuredTrial, MeasuredWatch } from "../judges/rate/measured.ts";
import { measured, measuredWatch } from "../judges/rate/measured.ts";
import { measurementOf, rateSeries } from "../judges/rate/measurement.ts";
import { perKeyClaim } from "../judges/rate/per-key.ts";
import { presentClaim, validClaim } from "../judges/rate/refusals.ts";
import { rejectedNotRunClaim } from "../judges/rate/rejected-not-run.ts";
import { longRetryAfterNote, notExcessiveClaim } from "../judges/rate/retry-after-not-excessive.ts";
import { sufficientClaim } from "../judges/rate/retry-after-sufficient.ts";
import { sustainedClaim } from "../judges/rate/sustained.ts";
import { allShots, shotsWith, shotsWithinPlan } from "../judges/rate/trial.ts";
import { withinPlanClaim } from "../judges/rate/within-plan.ts";
import { sentTwiceNote } from "../judges/sent-twice.ts";
import { valuesOf } from "../run/observation.ts";
import type { Tolerances } from "../run/run-plan.ts";
import { mergedByPromise, withNotTried } from "../verdict.ts";
import type { Claim } from "./claim.ts";
import { decide } from "./decide.ts";
import type { ScenarioJudge } from "./judgement.ts";

type ClaimOf = (
  trials: readonly MeasuredTrial[],
  tolerances: Tolerances,
  watches: readonly MeasuredWatch[],
) => Claim;

/** Of what was measured on keys. */
export const KEY_CLAIMS: readonly ClaimOf[] = [
  limitedClaim,
  sustainedClaim,
  burstClaim,
  withinPlanClaim,
  presentClaim,
  validClaim,
  sufficientClaim,
  notExcessiveClaim,
  allEndpointsClaim,
];

export const judgeRateLimit: ScenarioJudge = (observations, { tolerances, roles, keys }) => {
  const trials = valuesOf(observations, "rate.key").map((each) => measured(each, tolerances));
  const watches = valuesOf(observations, "rate.watch").map((each) =>
    measuredWatch(each, tolerances, trials),
  );
  const rejected = valuesOf(observations, "rate.rejected");
  // Keys that were left alone, as none can exceed their limits, are no part of what was seen.
  const untried = roles.limited
    .filter((name) => trials.every(({ key }) => key !== name))
    .map((name) => `the limits of ${name}`);
  const shots = trials.map((trial) => {
    return { key: trial.key, exchanges: allShots(trial), withinPlan: shotsWithinPlan(trial) };
  });
  const findings = mergedByPromise([
    ...(trials.length === 0
      ? []
      : KEY_CLAIMS.map((claimOf) => decide(claimOf(trials, tolerances, watches)))),
    ...judgeAccountOfKeys(shots),
    ...judgeAccountNamed(shots, keys),
    decide(perKeyClaim(valuesOf(observations, "rate.isolation"), trials)),
    ...rejected.map((stage) => decide(rejectedNotRunClaim(stage))),
  ]);
  return {
    findings: findings.map((finding) => withNotTried(finding, untried)),
    measurements: trials.map((trial) => ({ group: "rate", value: measurementOf(trial) })),
    series: trials.map((trial) => ({ group: "rate", value: rateSeries(trial, tolerances) })),
    notes: [
      ...trials.flatMap((trial) => longRetryAfterNote(trial, tolerances) ?? []),
      ...earnedNotes(trials),
      ...trials.flatMap(repeatedNote),
    ],
  };
};

function repeatedNote(trial: MeasuredTrial): readonly string[] {
  const refused = shotsWith(shotsWithinPlan(trial), "refused");
  const closed = allShots(trial).filter(({ error }) => error === "reset");
  return sentTwiceNote(`key ${trial.key}`, refused.length, closed.length);
}
