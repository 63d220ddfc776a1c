/** rate.within-plan: a rested key that stays within its plan gets no 429. Spec §7, §8. */

import type { Claim } from "../../judging/claim.ts";
import { rounded } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Doubt, KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import type { KeyTrial } from "./trial.ts";
import {
  isCutShort,
  STEADY_SHARE_MIN,
  sentPerSecond,
  shotsWith,
  steadyShots,
  unlawfullyRefused,
} from "./trial.ts";

type Tried = Pick<KeyTrial, "key" | "limit" | "below">;

export function withinPlanClaim(trials: readonly Tried[]): Claim {
  const without = "no key was tried below its plan";
  return keysClaim({ promise: "rate.within-plan", of: "requests", without }, trials.map(seenOf));
}

function seenOf(trial: Tried): KeySeen | null {
  const { key, limit, below } = trial;
  if (below === null) return null;
  const shots = steadyShots(below);
  const refused = shotsWith(shots, "refused");
  const rate = sentPerSecond(shots);
  const answered = shotsWith(shots, "admitted").length;
  const isFault = unlawfullyRefused(below, limit).length > 0;
  const what =
    `${refused.length} of ${shots.length} requests got 429 at an even ${rate.toFixed(1)}/s; ` +
    `the plan promises ${limit.sustained}/s`;
  return {
    key,
    faults: isFault ? [{ what, times: refused.length, exchanges: refused }] : [],
    doubt: isFault ? null : doubtOf(trial, shots),
    good: answered,
    said: `${answered} requests at ${rate.toFixed(1)}/s, none refused`,
    evidence: { requests: shots.length, perSecond: rounded(rate, 2), refused: refused.length },
  };
}

function doubtOf({ limit, below }: Tried, shots: readonly Exchange[]): Doubt | null {
  if (shots.length === 0) {
    return {
      cause: "too little seen",
      why: "the run ended before its plan could be tried from a rest",
    };
  }
  const refused = shotsWith(shots, "refused").length;
  const rate = sentPerSecond(shots);
  if (refused > 0) {
    const why =
      `${refused} requests got 429, but may have come closer together than they were sent, ` +
      "beyond what a conforming limiter admits";
    return { cause: "network", why };
  }
  if (rate < (below?.offeredPerSecond ?? 0) * STEADY_SHARE_MIN) {
    const reached = `the generator reached ${rate.toFixed(1)}/s`;
    return { cause: "host lag", why: `${reached}, too little below ${limit.sustained}/s` };
  }
  if (below !== null && isCutShort(below)) {
    const why = `this machine stood still in it: ${shots.length} requests tell too little`;
    return { cause: "host lag", why };
  }
  const most = shotsWith(shots, "admitted").length >= shots.length / 2;
  return most ? null : { cause: "network", why: "most requests below the plan failed" };
}
