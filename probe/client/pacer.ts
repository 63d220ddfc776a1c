/** Keeps the probe's own requests to a share of the key's rate, and honours Retry-After. */

import { retryAfterOf, toldWaitMs } from "../../contract/answers/retry-after.ts";
import { pacing } from "../../contract/limits/pacing.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";

/** Ours: monitoring leaves nine tenths of the plan to those who pay for it. */
const RATE_SHARE = 0.1;
/** Ours: where no plan is declared, one that the smallest plan of Spec §8 allows with ease. */
const UNDECLARED_RATE = 2;
/** Ours: a 429 without a usable Retry-After. */
const PAUSE_DEFAULT_MS = 1_000;
/** Ours: a longer wait may be a mistake and must not blind all canaries: the probe asks again. */
const PAUSE_MAX_MS = 60_000;

export class Pacer {
  readonly #line = pacing(UNDECLARED_RATE);
  #askedMs: number | null = null;

  constructor(key: PlanKey, rateShare: number | null) {
    this.use(key, rateShare);
  }

  /** Keeps to another plan or share from now on. */
  use({ sustained }: PlanKey, rateShare: number | null): void {
    this.#line.use(sustained === null ? UNDECLARED_RATE : sustained * (rateShare ?? RATE_SHARE));
  }

  /** When the caller may send; null, and no place in the line taken, when that would be later. */
  book(nowMs: number, byMs: number): number | null {
    return this.#line.bookBy(nowMs, byMs);
  }

  /** Until when a 429 forbids requests; the past when none does. */
  get pausedUntilMs(): number {
    return this.#line.heldUntilMs;
  }

  /** The wait that the last 429 asked for, which may be longer than the pause; null: for none. */
  get askedMs(): number | null {
    return this.#askedMs;
  }

  /** Takes note of an answer; gives back the wait that a 429 asked for, or null. */
  heed(exchange: Exchange): number | null {
    if (exchange.status !== 429) return null;
    const waitMs = toldWaitMs(exchange, PAUSE_DEFAULT_MS);
    const asked = retryAfterOf(exchange);
    this.#askedMs = "waitMs" in asked ? asked.waitMs : null;
    this.#line.holdUntil(exchange.receivedAtMs + Math.min(waitMs, PAUSE_MAX_MS));
    return waitMs;
  }
}
