/** Jobs that cost more than the price of their worker: a note, as discounts and plans are open. */

import type { Price } from "../../contract/budget.ts";
import type { Job } from "../../contract/decode/job-types.ts";
import { PER_RUN } from "../../contract/decode/worker.ts";

/** Ours: less is rounding. */
const DEARER_SHARE = 0.01;

/** Tells of each worker once; variant A bills in credits, which have no stated price. */
export function dearRuns(tell: (text: string) => void) {
  const told = new Set<string>();
  return (workerId: string, { usd }: Price, { cost: { runUsd, billingMode } }: Job): void => {
    if (usd === null || runUsd === null || billingMode !== PER_RUN) return;
    if (runUsd <= usd * (1 + DEARER_SHARE) || told.has(workerId)) return;
    told.add(workerId);
    tell(`a run of "${workerId}" cost ${runUsd} USD; its price is ${usd} USD`);
  };
}
