/**
 * Times of variant B that are written without milliseconds. How many digits a time has is the
 * writer's habit: some drop the zeros at its end, which one time says nothing of. Spec §2.4, §2.5.
 */

import { chanceOfAtLeast } from "../../binomial.ts";
import type { Exchange } from "../../exchange.ts";
import type { Seen } from "../../judging/claim.ts";
import type { Timestamp } from "../../timestamps.ts";

/** Spec §2.5. */
const DIGITS_MIN = 3;
/**
 * Ours: of whole milliseconds 1 in 1,000 ends in three zeros, which Java drops; of microseconds 1
 * in 10,000 in four, of which Go leaves less than three digits. Ten times as many, as times may lie
 * at the full second more often than by chance.
 */
const DROPPED_SHARE = 1 / 100;
/** Ours: a load that offers 20 jobs a second may hit the full second with each twentieth. */
const WHOLE_SHARE = 1 / 10;
/** Ours: as few as two of two are left to chance, three of three are not. */
const CHANCE_MIN = 5e-5;

/** A time that an answer of variant B tells. */
export interface Told {
  time: Timestamp;
  /** Dotted path in the body. */
  path: string;
  exchange: Exchange;
  /** Whether it lies at the full second, by what is told beside it; null where nothing is. */
  isWhole: boolean | null;
}

/** Those without milliseconds, each text once; none where dropped zeros explain them. */
export function shortStamps(told: readonly Told[]): readonly Seen[] {
  const short = told.filter(({ time }) => time.fractionDigits < DIGITS_MIN);
  const cut = short.filter(({ isWhole }) => isWhole === false);
  const unproven = short.filter(({ time, isWhole }) => isWhole !== true || time.fractionDigits > 0);
  const texts = byText(told).length;
  const areBeyond = (some: readonly Told[], share: number) =>
    isBeyond(byText(some).length, texts, share);
  if (areBeyond(short, WHOLE_SHARE)) return seenOf(short);
  if (areBeyond(unproven, DROPPED_SHARE)) return seenOf(unproven);
  return isBeyond(jobsIn(cut), jobsIn(told), DROPPED_SHARE) ? seenOf(cut) : [];
}

function isBeyond(count: number, all: number, share: number): boolean {
  return count > 0 && chanceOfAtLeast(count, all, share) < CHANCE_MIN;
}

function jobsIn(told: readonly Told[]): number {
  return new Set(told.map(({ exchange }) => exchange.path)).size;
}

/** Several jobs may tell the same second, and each poll of one tells it again. */
function byText(told: readonly Told[]): readonly Told[] {
  return [...new Map(told.map((each) => [each.time.text, each])).values()];
}

function seenOf(told: readonly Told[]): readonly Seen[] {
  return byText(told).map(({ time, path, exchange }) => ({
    what: `${path} is "${time.text}"; expected ISO 8601 with milliseconds`,
    exchanges: [exchange],
  }));
}

/** Shown where that request was under way then; nothing otherwise, as the clocks may differ. */
export function isWithin({ ms }: Timestamp, { sentAtMs, receivedAtMs }: Exchange): true | null {
  return ms >= sentAtMs && ms <= receivedAtMs ? true : null;
}
