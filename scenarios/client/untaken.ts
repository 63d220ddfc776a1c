/** Stops a scenario's submissions where nobody may make them, or nobody pays for them, for long. */

import { AWAY_MS } from "../../contract/judges/expected-status.ts";
import type { Room } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";

/** Ours: more than a key is tried with that has no credits or is revoked; others are taken. */
const ROW_MIN = 20;
/** Ours: so many at the end are no accident, where answers that have nothing to do with it vary. */
const LAST_ROW_MIN = 3;
/** Ours: how often it is tried meanwhile whether they are taken again. */
const TRY_EVERY_MS = 2_000;
/** The credits have run out, or the keys were revoked, for good or for a moment. Spec §7. */
const UNTAKEN: Readonly<Record<number, string>> = { 401: "Unauthorized", 402: "Payment Required" };

/**
 * Submissions in a row that are not taken. A store of keys, or of credits, that is away for a
 * moment is waited for: single ones try it; it is over once no accident lasts that long.
 */
export class Untaken {
  #row = 0;
  #sinceMs = 0;
  #nextTryAtMs = 0;
  #status = 0;
  #isOver = false;
  readonly #now: () => number;
  readonly #tell: (text: string) => void;

  /**
   * @param now In ms, from a clock that never steps.
   * @param tell Takes a sentence when single ones are sent from now on, and when no more are.
   */
  constructor(now: () => number, tell: (text: string) => void) {
    this.#now = now;
    this.#tell = tell;
  }

  answered(exchange: Exchange): void {
    const { status } = exchange;
    if (this.#isOver) return;
    if (isSuccess(exchange)) this.#row = 0;
    if (UNTAKEN[status] === undefined) return;
    const nowMs = this.#now();
    if (this.#row === 0) this.#sinceMs = nowMs;
    this.#row += 1;
    this.#status = status;
    if (this.#row < ROW_MIN) return;
    this.#isOver = nowMs - this.#sinceMs >= AWAY_MS;
    if (this.#isOver) this.#tell(`${this.reason}: no more are sent`);
    if (this.#isOver || this.#row > ROW_MIN) return;
    this.#nextTryAtMs = nowMs + TRY_EVERY_MS;
    this.#tell(`${this.reason}: one is tried every ${TRY_EVERY_MS / 1_000} s`);
  }

  /** Whether one more may be sent. */
  room(): Room {
    if (this.#isOver) return "none";
    return this.#row >= ROW_MIN && this.#now() < this.#nextTryAtMs ? "later" : "room";
  }

  /** One more is sent. */
  taken(): void {
    this.#nextTryAtMs = this.#now() + TRY_EVERY_MS;
  }

  /** Why no more are sent, for now or for good; null while they are. */
  get reason(): string | null {
    return this.#row < ROW_MIN ? null : this.lastRow;
  }

  /** What the last ones in a row got that were not taken; null where these are too few to tell. */
  get lastRow(): string | null {
    if (this.#row < LAST_ROW_MIN) return null;
    const name = UNTAKEN[this.#status];
    return `${this.#row} submissions in a row got ${this.#status}, ${name}`;
  }
}
