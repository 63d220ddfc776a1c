/**
 * What the jobs of a worker usually cost. A canary's input never changes, so that one job that
 * costs several times as much as most before it is charged wrongly, or prices have risen.
 */

import type { Spent } from "../../contract/budget.ts";
import { exact } from "../../contract/budget.ts";
import { medianOf } from "../../contract/figures.ts";

type Cost = Pick<Spent, "credits" | "usd">;

/** Ours: costs by the second vary with the time that a worker took; not by so much. */
const RAISED_FACTOR = 5;
/** Ours: fewer may all have been charged as an exception. */
const KNOWN_MIN = 10;
/** Ours: after half as many jobs at a new price, that is what they usually cost. */
const KEPT_MAX = 60;

export class UsualCosts {
  readonly #known = new Map<string, readonly Cost[]>();

  /** Learns what one more job cost; says how far that is beyond the usual, or null. */
  learn(workerId: string, cost: Cost): string | null {
    const known = this.#known.get(workerId) ?? [];
    // What was free by rule tells no price.
    if (cost.credits <= 0 && cost.usd <= 0) return null;
    this.#known.set(workerId, [...known, cost].slice(-KEPT_MAX));
    if (known.length < KNOWN_MIN) return null;
    for (const unit of ["credits", "usd"] as const) {
      const usual = medianOf(known.map((each) => each[unit]));
      const isRaised = usual > 0 && cost[unit] > RAISED_FACTOR * usual;
      if (isRaised) return `${exact(cost[unit])} ${unit}, usually ${exact(usual)}`;
    }
    return null;
  }
}
