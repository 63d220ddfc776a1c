/**
 * Jobs that cost more than the price of their worker, or than their estimate: a note, as discounts
 * and plans are open, and an estimate may be off. Spec §2.2, §2.4.
 */

import type { Job } from "../../contract/decode/job-types.ts";
import { PER_RUN } from "../../contract/decode/worker.ts";
import type { Price } from "../../contract/limits/budget.ts";

/** Ours: less is rounding. */
const DEARER_SHARE = 0.01;
/** Ours: an estimate that is off by more is in another unit, or of another job. */
const ESTIMATE_FACTOR_MAX = 3;

/** What a job was to cost: its worker's price in USD, and its own estimate in credits. */
interface Expected {
  price: Price;
  estimatedCredits: number | null;
}

/** Tells of each worker once; variant A bills in credits, which have no stated price. */
export function dearRuns(tell: (text: string) => void) {
  const told = new Set<string>();
  return (workerId: string, expected: Expected, { cost }: Job): void => {
    const text = overPrice(expected, cost) ?? overEstimate(expected, cost);
    if (text === null || told.has(workerId)) return;
    told.add(workerId);
    tell(`a run of "${workerId}" cost ${text}`);
  };
}

function overPrice({ price: { usd } }: Expected, { runUsd, billingMode }: Job["cost"]) {
  if (usd === null || runUsd === null || billingMode !== PER_RUN) return null;
  return runUsd > usd * (1 + DEARER_SHARE) ? `${runUsd} USD; its price is ${usd} USD` : null;
}

function overEstimate({ estimatedCredits: estimate }: Expected, { credits }: Job["cost"]) {
  if (estimate === null || estimate === 0 || credits === null) return null;
  const isFar = credits > estimate * ESTIMATE_FACTOR_MAX;
  return isFar ? `${credits} credits; its estimate was ${estimate}` : null;
}
