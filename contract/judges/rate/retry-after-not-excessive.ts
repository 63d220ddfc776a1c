/** rate.retry-after-not-excessive: no wait is told that is far longer than needed. */

import type { Claim, Sample } from "../../judging/claim.ts";
import { mostOf } from "../../numbers/extremes.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Tolerances } from "../../run/run-plan.ts";
import { countBelow, timesOf } from "./ascending.ts";
import { saidOfKeys } from "./keys.ts";
import { refusalsOf, toldWaits } from "./refusals.ts";
import type { KeyTrial } from "./trial.ts";
import { allShots, drawing, outcomeOf, shotsWith } from "./trial.ts";

type KeySample = Sample & { key: string };

export function notExcessiveClaim(trials: readonly KeyTrial[], tolerances: Tolerances): Claim {
  const each = trials.map((trial) => samplesOf(trial, tolerances));
  // What is quoted is the worst of each key.
  const samples = [
    ...each.flatMap(([worst]) => worst ?? []),
    ...each.flatMap((all) => all.slice(1)),
  ];
  const told = trials.reduce((sum, trial) => sum + toldWaits(refusalsOf(trial)).length, 0);
  return {
    promise: "rate.retry-after-not-excessive",
    unit: "ms",
    // Of what is told beyond the wait that works.
    tolerated: { low: Number.NEGATIVE_INFINITY, high: tolerances.retryAfterExcessMs },
    samples,
    // Those that tell no longer wait than the one that counts, and none that is too long.
    good: told - samples.length,
    of: "refusals",
    kept: saidOfKeys(
      samples.map(({ key, what }) => ({ key, said: what.slice(`${key}: `.length) })),
    ),
    without: "no Retry-After was seen",
    hidden: samples
      .filter(({ high }) => high === Infinity)
      .map(({ what }) => ({ cause: "host lag", atMost: Infinity, why: what })),
  };
}

/** By how much told waits surely exceed the one that is needed: the worst, and all too long. */
function samplesOf(trial: KeyTrial, { retryAfterExcessMs }: Tolerances): readonly KeySample[] {
  const told = toldWaits(refusalsOf(trial)).sort((a, b) => b.waitMs - a.waitMs);
  const [longest] = told;
  if (longest === undefined) return [];
  const { key, limit } = trial;
  const worksMs = waitThatWorksMs(trial);
  if (worksMs === null) {
    const what = `${key}: no wait was found that works`;
    const exchanges = [longest.shot];
    return [{ key, low: Number.NEGATIVE_INFINITY, high: Infinity, what, exchanges }];
  }
  // At the start of a window the next one is as far away as can be.
  const enoughMs = Math.max(worksMs, windowMs(limit));
  const next = nextAdmission(trial);
  const excesses = told.map(({ shot, waitMs }) => {
    const neededMs = Math.min(enoughMs, next(shot));
    const beyondMs = waitMs - neededMs;
    const enough = `${(neededMs / 1_000).toFixed(1)} s is enough`;
    const tooLong = `Retry-After is ${waitMs / 1_000} s, ${enough}`;
    const isTooLong = beyondMs > retryAfterExcessMs;
    const said = isTooLong ? tooLong : `the longest stated wait is ${longest.waitMs / 1_000} s`;
    const what = `${key}: ${said}`;
    return { key, low: beyondMs, high: beyondMs, what, exchanges: [shot] };
  });
  const [worst, ...others] = excesses.sort((a, b) => b.high - a.high);
  return worst ? [worst, ...others.filter(({ high }) => high > retryAfterExcessMs)] : [];
}

/**
 * How long after a refusal a request of the key was let in, in the whole seconds in which waits are
 * told; Infinity where none was.
 */
function nextAdmission({ volleys: bursts, drain, returns, below }: KeyTrial) {
  const shots = [
    ...bursts.flatMap((burst) => burst.shots),
    ...(drain?.press ?? []),
    ...returns.map(({ probe }) => probe),
    ...drawing(below?.shots ?? []),
  ];
  const ascending = timesOf(shotsWith(shots, "admitted"), "sentAtMs");
  return ({ receivedAtMs }: Exchange): number => {
    const at = ascending[countBelow(ascending, receivedAtMs)] ?? Number.POSITIVE_INFINITY;
    return (Math.floor((at - receivedAtMs) / 1_000) + 1) * 1_000;
  };
}

/** An upper bound of the wait that a refused caller needs: after it requests went through. */
function waitThatWorksMs({ volleys: bursts, returns }: KeyTrial): number | null {
  const rests = bursts
    .filter(({ restedMs, shots }) => restedMs > 0 && shotsWith(shots, "admitted").length > 0)
    .map(({ restedMs }) => restedMs);
  const waits = returns
    .filter(({ probe }) => outcomeOf(probe) === "admitted")
    .map(({ waitedMs }) => waitedMs);
  const works = [...rests, ...waits];
  return works.length === 0 ? null : Math.max(Math.min(...works), 0);
}

/** A told wait that is longer than a resting key could ever need, yet within the tolerance. */
export function longRetryAfterNote(trial: KeyTrial, tolerances: Tolerances): string | null {
  const beyondMs = samplesOf(trial, tolerances)[0]?.low ?? 0;
  if (beyondMs > tolerances.retryAfterExcessMs) return null;
  const refused = shotsWith(allShots(trial), "refused");
  const longestMs = Math.max(0, mostOf(toldWaits(refused).map(({ waitMs }) => waitMs)));
  const neededMs = Math.ceil(windowMs(trial.limit) / 1_000) * 1_000 + 1_000;
  if (longestMs <= neededMs) return null;
  return (
    `${trial.key}: Retry-After of up to ${longestMs / 1_000} s, although ` +
    `${neededMs / 1_000} s would do`
  );
}
