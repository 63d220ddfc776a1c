/** rate.retry-after-valid: whole seconds or an HTTP-date. Spec §7, RFC 9110 §10.2.3. */

import type { Claim } from "../../judging/claim.ts";
import { retryAfterOf } from "../../retry-after.ts";
import type { KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import { refusalsOf } from "./refusals.ts";
import type { KeyTrial } from "./trial.ts";

export function validClaim(trials: readonly KeyTrial[]): Claim {
  const promise = "rate.retry-after-valid";
  const words = { promise, of: "refusals", without: "no Retry-After was seen" } as const;
  return keysClaim(words, trials.map(seenOf));
}

function seenOf(trial: KeyTrial): KeySeen | null {
  const stated = refusalsOf(trial).filter((shot) => retryAfterOf(shot).form !== "absent");
  if (stated.length === 0) return null;
  const invalid = stated.filter((shot) => retryAfterOf(shot).form === "invalid");
  const told = invalid[0]?.headers["retry-after"];
  const what = `Retry-After is "${told}"; expected whole seconds or an HTTP date`;
  return {
    key: trial.key,
    faults: invalid.length === 0 ? [] : [{ what, times: invalid.length, exchanges: invalid }],
    doubt: null,
    good: stated.length - invalid.length,
    said: `all ${stated.length} values are valid`,
    evidence: { seen: stated.length, invalid: invalid.length },
  };
}
