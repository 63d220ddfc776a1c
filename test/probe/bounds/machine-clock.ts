/** Places times of the machine's clock, as the embedded service states them, on the probe's. */

import type { Interval } from "../../../contract/timeline/interval.ts";
import type { Clock } from "../../../probe/clock.ts";

/** The machine's clock is set and slewed, so that it is compared again and again. */
const COMPARE_MS = 500;
/** Reading until a millisecond begins takes at most about one. */
const READINGS = 4_000;

export class MachineClock {
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  #aheadMs: { lowMs: number; highMs: number };

  constructor(clock: Clock) {
    this.#clock = clock;
    const ahead = this.#compare();
    this.#aheadMs = { lowMs: ahead, highMs: ahead };
    this.#timer = setInterval(() => {
      this.#aheadMs = { lowMs: this.#aheadMs.highMs, highMs: this.#compare() };
    }, COMPARE_MS);
  }

  /** How far the machine's clock is ahead: at the moment at which its milliseconds change. */
  #compare(): number {
    let most = Number.NEGATIVE_INFINITY;
    for (let n = 0; n < READINGS; n += 1) {
      most = Math.max(most, Date.now() - this.#clock.nowMs());
    }
    return most;
  }

  /** The stretch in which a time of whole milliseconds lay. */
  placed(statedMs: number): Interval {
    const { lowMs, highMs } = this.#aheadMs;
    const [least, most] = [Math.min(lowMs, highMs), Math.max(lowMs, highMs)];
    return { lowMs: statedMs - most, highMs: statedMs + 1 - least };
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
