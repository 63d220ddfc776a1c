/**
 * What the jobs of a canary usually cost. Its input never changes, so that one job that costs
 * several times as much as most before it is charged wrongly, or prices have risen.
 */

import type { Spent } from "../../../contract/limits/budget.ts";
import { exact } from "../../../contract/limits/budget.ts";
import { medianOf } from "../../../contract/numbers/figures.ts";

/** `ranMs`: how long the job ran, in milliseconds; null where nobody knows. */
export interface JobCost extends Pick<Spent, "credits" | "usd"> {
  ranMs: number | null;
}

/** Ours: what an input gives varies, and its cost with it; not by so much. */
const RAISED_FACTOR = 5;
/** Ours: who bills by the second bills as many times more for a longer run, as polls bound it. */
const BY_TIME_FACTOR = 2;
/** Ours: fewer may all have been charged as an exception. */
const KNOWN_MIN = 10;
/** Ours: after half as many jobs at a new price, that is what they usually cost. */
const KEPT_MAX = 60;

export class UsualCosts {
  readonly #known = new Map<string, readonly JobCost[]>();

  /** Learns what one more job cost; says how far that is beyond the usual, or null. */
  learn(canary: string, cost: JobCost): string | null {
    const known = this.#known.get(canary) ?? [];
    // What was free by rule tells no price.
    if (cost.credits <= 0 && cost.usd <= 0) return null;
    this.#known.set(canary, [...known, cost].slice(-KEPT_MAX));
    if (known.length < KNOWN_MIN) return null;
    const usualMs = medianOf(known.flatMap(({ ranMs }) => ranMs ?? []));
    const longer = cost.ranMs !== null && usualMs > 0 ? cost.ranMs / usualMs : 1;
    const allowed = Math.max(RAISED_FACTOR, BY_TIME_FACTOR * longer);
    for (const unit of ["credits", "usd"] as const) {
      const usual = medianOf(known.map((each) => each[unit]));
      const isRaised = usual > 0 && cost[unit] > allowed * usual;
      if (isRaised) return `${exact(cost[unit])} ${unit}, usually ${exact(usual)}`;
    }
    return null;
  }
}
