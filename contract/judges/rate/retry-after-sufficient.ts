/** rate.retry-after-sufficient: who waits as told is admitted. RFC 9110 §10.2.3. */

import type { Claim } from "../../judging/claim.ts";
import type { Doubt, KeyFault, KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import type { MeasuredTrial } from "./measured.ts";
import { refusalsOf, toldWaits } from "./refusals.ts";
import type { Return } from "./trial.ts";
import { outcomeOf } from "./trial.ts";

/** Phases of exhausting and returning that the catalogue asks for. */
export const RETURNS_MIN = 6;
/**
 * Ours: where refused requests count, one unlucky return of many went by the wait of a refusal
 * beside which others were decided.
 */
const STARVED_REFUSED_SHARE = 0.5;

type Tried = Omit<MeasuredTrial, "excess" | "refill" | "isRefillOpen">;

export function sufficientClaim(trials: readonly Tried[]): Claim {
  const promise = "rate.retry-after-sufficient";
  const words = {
    promise,
    of: "requests after Retry-After",
    without: "no usable Retry-After was seen",
  } as const;
  return keysClaim(words, trials.map(seenOf));
}

function seenOf(trial: Tried): KeySeen | null {
  const { key, returns, waitsDeclined } = trial;
  const isTold = toldWaits(refusalsOf(trial)).length > 0;
  if (!isTold && returns.length === 0 && waitsDeclined.length === 0) return null;
  const tried = returns.filter(({ probe }) => outcomeOf(probe) !== "failed");
  const early = tried.filter(({ probe }) => outcomeOf(probe) === "refused");
  const toldMs = returns.map((each) => each.toldMs);
  return {
    key,
    faults: faultsOf(trial, early, tried.length),
    doubt: tried.length < RETURNS_MIN ? shortBy(trial, tried) : null,
    good: tried.length - early.length,
    said: `all ${tried.length} requests after the stated wait were admitted`,
    evidence: { returns: tried.length, refused: early.length, toldMs },
  };
}

function shortBy({ key, waitsDeclined }: Tried, tried: readonly Return[]): Doubt {
  if (tried.length > 0 || waitsDeclined.length === 0) {
    return { cause: "host lag", why: `${tried.length} returns, needs ${RETURNS_MIN}` };
  }
  const why =
    "the stated waits are longer than this run waits (see rate.retry-after-not-excessive)";
  const explainedBy = [{ promise: "rate.retry-after-not-excessive", key }] as const;
  return { cause: "host lag", why, explainedBy };
}

function faultsOf(trial: Tried, early: readonly Return[], tried: number): KeyFault[] {
  const [first] = early;
  if (first === undefined) return [];
  const isUnlucky =
    (trial.limiter?.starved ?? false) &&
    early.length < tried * STARVED_REFUSED_SHARE &&
    !early.some(isLast);
  const why = "its limiter counts refused requests";
  return [
    {
      what:
        `${early.length} of ${tried} requests got 429 again after waiting for Retry-After, e.g. ` +
        `told ${first.toldMs / 1_000} s, waited ${(first.waitedMs / 1_000).toFixed(2)} s`,
      times: early.length,
      exchanges: [first.refusal, first.probe],
      above: isUnlucky ? [{ cause: "counted refusals", atMost: Infinity, why }] : [],
    },
  ];
}

/** Whether the refusal was surely decided after all else that was sent; it is among that. */
function isLast({ exhaustedBy, refusal }: Return): boolean {
  const later = exhaustedBy.filter(({ receivedAtMs }) => receivedAtMs > refusal.sentAtMs);
  return later.length <= 1;
}
