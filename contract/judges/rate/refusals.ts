/** The answers 429 of a key's trial, and the waits that they tell. Spec §7, RFC 9110 §10.2.3. */

import { retryAfterOf } from "../../answers/retry-after.ts";
import type { Claim } from "../../judging/claim.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import type { KeyTrial } from "./trial.ts";
import { allShots, shotsWith } from "./trial.ts";

/** Those of reads and of submissions: each route may have been given a refusal of its own. */
export function refusalsOf(trial: KeyTrial): readonly Exchange[] {
  return [...shotsWith(allShots(trial), "refused"), ...shotsWith(trial.submissions, "refused")];
}

/** Refusals with the wait that they tell; those that tell none are left out. */
export function toldWaits(refusals: readonly Exchange[]): { shot: Exchange; waitMs: number }[] {
  return refusals.flatMap((shot) => {
    const read = retryAfterOf(shot);
    return "waitMs" in read ? [{ shot, waitMs: read.waitMs }] : [];
  });
}

/** rate.retry-after-present: every 429 carries `Retry-After`. */
export function presentClaim(trials: readonly KeyTrial[]): Claim {
  const promise = "rate.retry-after-present";
  const seen = trials.map((trial) => {
    const refused = refusalsOf(trial);
    const without = refused.filter((shot) => retryAfterOf(shot).form === "absent");
    return seenOf(trial, refused, without, {
      what: `${without.length} of ${refused.length} responses with 429 have no Retry-After`,
      said: `all ${refused.length} responses with 429 have one`,
      evidence: { refused: refused.length, without: without.length },
    });
  });
  return keysClaim({ promise, of: "refusals", without: "no 429 was seen" }, seen);
}

/** rate.retry-after-valid: whole seconds or an HTTP-date. */
export function validClaim(trials: readonly KeyTrial[]): Claim {
  const promise = "rate.retry-after-valid";
  const seen = trials.map((trial) => {
    const stated = refusalsOf(trial).filter((shot) => retryAfterOf(shot).form !== "absent");
    const invalid = stated.filter((shot) => retryAfterOf(shot).form === "invalid");
    const told = invalid[0]?.headers["retry-after"];
    return seenOf(trial, stated, invalid, {
      what: `Retry-After is "${told}"; expected whole seconds or an HTTP date`,
      said: `all ${stated.length} values are valid`,
      evidence: { seen: stated.length, invalid: invalid.length },
    });
  });
  return keysClaim({ promise, of: "refusals", without: "no Retry-After was seen" }, seen);
}

/** Of some refusals of a key, those that are wrong. */
function seenOf(
  { key }: KeyTrial,
  all: readonly Exchange[],
  wrong: readonly Exchange[],
  { what, ...words }: Pick<KeySeen, "said" | "evidence"> & { what: string },
): KeySeen | null {
  if (all.length === 0) return null;
  const faults = wrong.length === 0 ? [] : [{ what, times: wrong.length, exchanges: wrong }];
  return { key, faults, doubt: null, good: all.length - wrong.length, ...words };
}
