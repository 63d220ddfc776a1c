/** What the rate judges find of one key. */

import { allEndpointsClaim } from "../../../../contract/judges/rate/all-endpoints.ts";
import { burstClaim } from "../../../../contract/judges/rate/burst.ts";
import { estimateLimiter } from "../../../../contract/judges/rate/estimate.ts";
import type { Overloaded } from "../../../../contract/judges/rate/even.ts";
import { measured, measuredWatch } from "../../../../contract/judges/rate/measured.ts";
import { sustainedClaim } from "../../../../contract/judges/rate/sustained.ts";
import type { KeyTrial, Watch } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { KEY_CLAIMS } from "../../../../contract/judging/rate-limit.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run/run-plan.ts";
import type { Finding } from "../../../../contract/verdict.ts";
import type { Deployment } from "./simulated-trial.ts";
import { simulateTrial } from "./simulated-trial.ts";

type ClaimOf = (typeof KEY_CLAIMS)[number];

export function judged(claimOf: ClaimOf, trial: KeyTrial): Finding {
  return judgedMeasured(claimOf, measured(trial, DEFAULT_TOLERANCES));
}

function judgedMeasured(claimOf: ClaimOf, tried: ReturnType<typeof measured>): Finding {
  return decide(claimOf([tried], DEFAULT_TOLERANCES, []));
}

/** By its overload and steady phases alone. */
export function judgedSustained({ key, limit, drain, below }: Overloaded): Finding {
  const limiter = drain === null ? null : estimateLimiter(drain, limit);
  const tried = { key, limit, drain, limiter, excess: null, ...(below ? { below } : {}) };
  return decide(sustainedClaim([tried], DEFAULT_TOLERANCES));
}

/** `trials` tell how the key's limiter refills. */
export function judgedRests(watch: Watch, ...trials: readonly KeyTrial[]): Finding {
  const tried = trials.map((trial) => measured(trial, DEFAULT_TOLERANCES));
  const seen = measuredWatch(watch, DEFAULT_TOLERANCES, tried);
  return decide(burstClaim([], DEFAULT_TOLERANCES, [seen]));
}

/** Of all promises but that on other endpoints, by promise. */
export function verdicts(trial: KeyTrial): Record<string, string> {
  const claims = KEY_CLAIMS.filter((claimOf) => claimOf !== allEndpointsClaim);
  // Once for all of them, as the gate measures it: that takes most of the time.
  const tried = measured(trial, DEFAULT_TOLERANCES);
  const findings = claims.map((claimOf) => judgedMeasured(claimOf, tried));
  return Object.fromEntries(findings.map(({ promise, verdict }) => [promise, verdict]));
}

export function brokenIn(deployment: Deployment): string[] {
  const all = verdicts(simulateTrial(deployment));
  return Object.keys(all).filter((promise) => all[promise] === "broken");
}
