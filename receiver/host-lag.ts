/**
 * How late this machine lets threads of Node run: the receiver's thread looks at its own timers,
 * and asks the main thread for an answer again and again where that does not watch itself. A local
 * service is as late as that, through no fault of its own.
 */

import { nowMs } from "../clock/system-clock.ts";
import type { LagSpan } from "../contract/time/lag.ts";
import { lagRecord } from "../contract/time/lag.ts";

/** Ours: whoever asks once a second misses nothing, even where its asking is late as well. */
const WINDOW_MS = 10_000;
/** Ours: what the machine is like now, as a load has to slow down for it. */
const RECENT_MS = 2_000;
/** Ours: less is no lag, and would only make answers long. */
const LAG_MS_MIN = 5;

export class HostLag {
  readonly #ping: (() => void) | null;
  readonly #pauseMs: number;
  readonly #record = lagRecord({ keptMs: WINDOW_MS, leastMs: LAG_MS_MIN });
  #sentMs: number | null = null;

  /** `ping` makes the other thread call for `pong`; after each there is a pause. null: no ping. */
  constructor(ping: (() => void) | null, pauseMs: number) {
    this.#ping = ping;
    this.#pauseMs = pauseMs;
    this.#pause();
  }

  /** The other thread has answered. */
  pong(): void {
    for (const span of this.#open()) this.#record.note(span);
    if (this.#sentMs !== null) this.#pause();
    this.#sentMs = null;
  }

  /** The longest lag of either thread within the last 2 s, in ms. */
  worstMs(): number {
    return Math.max(0, ...this.#since(RECENT_MS).map(({ lagMs }) => lagMs));
  }

  /** When either thread was late within the last 10 s, a span that goes on included. */
  spans(): readonly LagSpan[] {
    return this.#since(WINDOW_MS);
  }

  #since(windowMs: number): readonly LagSpan[] {
    const toMs = nowMs();
    return [...this.#record.between(toMs - windowMs, toMs), ...this.#open()];
  }

  /** Of the ping that waits for its answer. */
  #open(): readonly LagSpan[] {
    const [fromMs, toMs] = [this.#sentMs, nowMs()];
    return fromMs === null ? [] : [{ fromMs, toMs, lagMs: toMs - fromMs }];
  }

  #pause(): void {
    const fromMs = nowMs();
    const timer = setTimeout(() => {
      const toMs = nowMs();
      this.#record.note({ fromMs, toMs, lagMs: toMs - fromMs - this.#pauseMs });
      if (this.#ping === null) return this.#pause();
      this.#sentMs = toMs;
      this.#ping();
    }, this.#pauseMs);
    timer.unref();
  }
}
