/** What was paid into an account while a load went on, by readings of it meanwhile. */

import { medianOf } from "../../figures.ts";
import type { AccountLedger, ReadingMeanwhile } from "./account-ledger.ts";

/** Ours: spans stand out by so many times of what others differ by at the median. */
const UNUSUAL = 5;
const SPANS_MIN = 5;

/** An amount, and whether it falls or rises with what jobs cost. */
interface Moving {
  path: string;
  perCost: number;
}

/**
 * What is lacking all along is not charged; what is lacking at once was paid in. While a load
 * begins or ends only a rise tells, and one that is more than what held prices give back.
 */
export function paidIn({ meanwhile }: AccountLedger, { path, perCost }: Moving): number {
  const spans = spansOf(meanwhile, path).map((span) => {
    return { ...span, fall: span.fall * Math.sign(perCost) };
  });
  const steady = spans.filter(({ isSteady }) => isSteady).map(({ fall, looks }) => fall / looks);
  if (steady.length < SPANS_MIN) return 0;
  const usual = medianOf(steady);
  const spread = medianOf(steady.map((fall) => Math.abs(fall - usual)));
  const lacking = spans.map(({ fall, looks, isSteady }) => {
    const less = isSteady ? usual * looks - fall : -fall;
    const most = isSteady ? UNUSUAL * spread : Math.abs(usual);
    return less > most * looks ? less : 0;
  });
  return lacking.reduce((sum, less) => sum + less, 0);
}

/** From one reading of the amount to the next. */
interface Span {
  fall: number;
  /** 1, and one more for each look between them that failed: what was paid in then shows later. */
  looks: number;
  isSteady: boolean;
}

function spansOf(meanwhile: readonly ReadingMeanwhile[], path: string): readonly Span[] {
  const read = meanwhile.flatMap(({ amounts, isSteady }, at) => {
    const amount = amounts[path];
    return amount === undefined ? [] : [{ amount, isSteady, at }];
  });
  return read.slice(1).flatMap((to, index) => {
    const from = read[index];
    if (from === undefined) return [];
    const isSteady = from.isSteady && to.isSteady;
    return [{ fall: from.amount - to.amount, looks: to.at - from.at, isSteady }];
  });
}
