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
  const counted = [
    { some: short, by: textOf, share: WHOLE_SHARE },
    { some: unproven, by: textOf, share: DROPPED_SHARE },
    { some: cut, by: jobOf, share: DROPPED_SHARE },
  ];
  const beyond = counted.find(({ some, by, share }) => {
    const count = eachOnce(some, by).length;
    return count > 0 && chanceOfAtLeast(count, eachOnce(told, by).length, share) < CHANCE_MIN;
  });
  return seenOf(beyond?.some ?? []);
}

/** Several jobs may tell the same second, and each poll of one tells it again. */
const textOf = ({ time }: Told) => time.text;
const jobOf = ({ exchange }: Told) => exchange.path;

function eachOnce(told: readonly Told[], by: (each: Told) => string): readonly Told[] {
  return [...new Map(told.map((each) => [by(each), each])).values()];
}

function seenOf(told: readonly Told[]): readonly Seen[] {
  return eachOnce(told, textOf).map(({ time, path, exchange }) => ({
    what: `${path} is "${time.text}"; expected ISO 8601 with milliseconds`,
    exchanges: [exchange],
  }));
}

/** Shown where that request was under way then; nothing otherwise, as the clocks may differ. */
export function isWithin({ ms }: Timestamp, { sentAtMs, receivedAtMs }: Exchange): true | null {
  return ms >= sentAtMs && ms <= receivedAtMs ? true : null;
}
