/** What the rate judges find of one key. */

import { burstClaim } from "../../../../contract/judges/rate/burst.ts";
import { estimateLimiter } from "../../../../contract/judges/rate/estimate.ts";
import type { Pressed } from "../../../../contract/judges/rate/even.ts";
import { limitedClaim } from "../../../../contract/judges/rate/limited.ts";
import type { MeasuredTrial } from "../../../../contract/judges/rate/measured.ts";
import { measured, measuredWatch } from "../../../../contract/judges/rate/measured.ts";
import { notExcessiveClaim } from "../../../../contract/judges/rate/retry-after-not-excessive.ts";
import { presentClaim } from "../../../../contract/judges/rate/retry-after-present.ts";
import { sufficientClaim } from "../../../../contract/judges/rate/retry-after-sufficient.ts";
import { validClaim } from "../../../../contract/judges/rate/retry-after-valid.ts";
import { sustainedClaim } from "../../../../contract/judges/rate/sustained.ts";
import type { KeyTrial, Watch } from "../../../../contract/judges/rate/trial.ts";
import { withinPlanClaim } from "../../../../contract/judges/rate/within-plan.ts";
import type { Claim } from "../../../../contract/judging/claim.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { Tolerances } from "../../../../contract/run-plan.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run-plan.ts";
import type { Finding } from "../../../../contract/verdict.ts";
import type { Deployment } from "./simulated-trial.ts";
import { simulateTrial } from "./simulated-trial.ts";

type ClaimOf = (trials: readonly MeasuredTrial[], tolerances: Tolerances) => Claim;

const CLAIMS: readonly ClaimOf[] = [
  limitedClaim,
  sustainedClaim,
  burstClaim,
  withinPlanClaim,
  presentClaim,
  validClaim,
  sufficientClaim,
  notExcessiveClaim,
];

export function judged(claimOf: ClaimOf, trial: KeyTrial): Finding {
  return decide(claimOf([measured(trial, DEFAULT_TOLERANCES)], DEFAULT_TOLERANCES));
}

/** By its press and even stretches alone. */
export function judgedSustained({ key, limit, drain, below }: Pressed): Finding {
  const limiter = drain === null ? null : estimateLimiter(drain, limit);
  const tried = { key, limit, drain, limiter, excess: null, ...(below ? { below } : {}) };
  return decide(sustainedClaim([tried], DEFAULT_TOLERANCES));
}

export function judgedRests(watch: Watch): Finding {
  const seen = measuredWatch(watch, DEFAULT_TOLERANCES);
  return decide(burstClaim([], DEFAULT_TOLERANCES, [seen]));
}

/** Of all promises, by promise. */
export function verdicts(trial: KeyTrial): Record<string, string> {
  const findings = CLAIMS.map((claimOf) => judged(claimOf, trial));
  return Object.fromEntries(findings.map(({ promise, verdict }) => [promise, verdict]));
}

export function brokenIn(deployment: Deployment): string[] {
  const all = verdicts(simulateTrial(deployment));
  return Object.keys(all).filter((promise) => all[promise] === "broken");
}
