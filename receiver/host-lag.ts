/**
 * How late this machine lets threads of Node run: the receiver's thread asks the main thread for an
 * answer again and again. A local service is as late as that, through no fault of its own.
 */

import { nowMs } from "../clock/system-clock.ts";

/** Ours: finer than any lag that a verdict would be withdrawn for, and no load. */
const PAUSE_MS = 10;
/** Ours: whoever asks once a second misses nothing, even where its asking is late as well. */
const WINDOW_MS = 10_000;
/** Ours: what the machine is like now, as a load has to slow down for it. */
const RECENT_MS = 2_000;
/** Ours: less is no lag, and would only make answers long. */
const LAG_MS_MIN = 5;

/** By the receiver's clock. */
export interface LagStretch {
  fromMs: number;
  toMs: number;
  lagMs: number;
}

export class HostLag {
  readonly #ping: () => void;
  #stretches: LagStretch[] = [];
  #sentMs: number | null = null;

  /** `ping` makes the other thread call for `pong`. */
  constructor(ping: () => void) {
    this.#ping = ping;
    this.#pause();
  }

  /** The other thread has answered. */
  pong(): void {
    if (this.#sentMs === null) return;
    const toMs = nowMs();
    this.#take({ fromMs: this.#sentMs, toMs, lagMs: toMs - this.#sentMs });
    this.#sentMs = null;
    this.#pause();
  }

  /** The longest lag of either thread within the last 2 s, in ms. */
  worstMs(): number {
    return this.#since(RECENT_MS).reduce((worst, { lagMs }) => Math.max(worst, lagMs), 0);
  }

  /** When either thread was late within the last 10 s, a stretch that goes on included. */
  stretches(): readonly LagStretch[] {
    return this.#since(WINDOW_MS);
  }

  #since(windowMs: number): readonly LagStretch[] {
    const toMs = nowMs();
    const recent = this.#stretches.filter((each) => each.toMs > toMs - windowMs);
    if (this.#sentMs === null) return recent;
    return [...recent, { fromMs: this.#sentMs, toMs, lagMs: toMs - this.#sentMs }];
  }

  #pause(): void {
    const fromMs = nowMs();
    const timer = setTimeout(() => {
      const toMs = nowMs();
      this.#take({ fromMs, toMs, lagMs: toMs - fromMs - PAUSE_MS });
      this.#sentMs = toMs;
      this.#ping();
    }, PAUSE_MS);
    timer.unref();
  }

  #take(stretch: LagStretch): void {
    if (stretch.lagMs < LAG_MS_MIN) return;
    const oldestMs = stretch.toMs - WINDOW_MS;
    this.#stretches = this.#stretches.filter(({ toMs }) => toMs > oldestMs);
    this.#stretches.push(stretch);
  }
}
