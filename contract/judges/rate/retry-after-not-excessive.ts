/** rate.retry-after-not-excessive: no wait is told that is far longer than needed. */

import type { Claim, Sample } from "../../judging/claim.ts";
import { windowMs } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import { refusalsOf, toldWaits } from "./refusals.ts";
import type { KeyTrial } from "./trial.ts";
import { allShots, outcomeOf, shotsWith } from "./trial.ts";

export function notExcessiveClaim(trials: readonly KeyTrial[], tolerances: Tolerances): Claim {
  const samples = trials.flatMap((trial) => sampleOf(trial, tolerances) ?? []);
  return {
    promise: "rate.retry-after-not-excessive",
    unit: "ms",
    // Of what is told beyond the wait that works.
    tolerated: { low: Number.NEGATIVE_INFINITY, high: tolerances.retryAfterExcessMs },
    samples,
    good: trials.reduce((sum, trial) => sum + othersIn(trial), 0),
    of: "refusals",
    kept: samples.map(({ what }) => what).join("; "),
    without: "no Retry-After was seen",
    hidden: samples
      .filter(({ high }) => high === Infinity)
      .map(({ what }) => ({ cause: "host lag", atMost: Infinity, why: what })),
  };
}

/** Refusals that tell no longer wait than the one that counts. */
function othersIn(trial: KeyTrial): number {
  return Math.max(0, toldWaits(refusalsOf(trial)).length - 1);
}

/** By how much the longest told wait surely exceeds the shortest that works; null without one. */
function sampleOf(trial: KeyTrial, { retryAfterExcessMs }: Tolerances): Sample | null {
  const [longest] = toldWaits(refusalsOf(trial)).sort((a, b) => b.waitMs - a.waitMs);
  if (longest === undefined) return null;
  const { key } = trial;
  const exchanges = [longest.shot];
  const enoughMs = waitThatWorksMs(trial);
  if (enoughMs === null) {
    const what = `${key}: no wait was found that works`;
    return { low: Number.NEGATIVE_INFINITY, high: Infinity, what, exchanges };
  }
  const beyondMs = longest.waitMs - enoughMs;
  const toldText = `${longest.waitMs / 1_000} s`;
  const isTooLong = beyondMs > retryAfterExcessMs;
  const what = isTooLong
    ? `${key}: told to wait ${toldText}, ${(enoughMs / 1_000).toFixed(1)} s is enough`
    : `${key}: the longest told wait is ${toldText}`;
  return { low: beyondMs, high: beyondMs, what, exchanges };
}

/** An upper bound of the wait that a refused caller needs: after it requests went through. */
function waitThatWorksMs({ volleys, returns }: KeyTrial): number | null {
  const rests = volleys
    .filter(({ restedMs, shots }) => restedMs > 0 && shotsWith(shots, "admitted").length > 0)
    .map(({ restedMs }) => restedMs);
  const waits = returns
    .filter(({ probe }) => outcomeOf(probe) === "admitted")
    .map(({ waitedMs }) => waitedMs);
  const works = [...rests, ...waits];
  return works.length === 0 ? null : Math.max(Math.min(...works), 0);
}

/** A told wait that is longer than a resting key could ever need, yet within the tolerance. */
export function longRetryAfterNote(trial: KeyTrial): string | null {
  const refused = shotsWith(allShots(trial), "refused");
  const longestMs = Math.max(0, ...toldWaits(refused).map(({ waitMs }) => waitMs));
  const neededMs = Math.ceil(windowMs(trial.limit) / 1_000) * 1_000 + 1_000;
  if (longestMs <= neededMs) return null;
  return (
    `${trial.key}: Retry-After of up to ${longestMs / 1_000} s, although ` +
    `${neededMs / 1_000} s would do`
  );
}
