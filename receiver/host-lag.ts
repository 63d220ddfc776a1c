/**
 * How late this machine lets threads of Node run: the receiver's thread asks the main thread for an
 * answer again and again. A local service is as late as that, through no fault of its own.
 */

import { performance } from "node:perf_hooks";

/** Ours: finer than any lag that a verdict would be withdrawn for, and no load. */
const PAUSE_MS = 25;
/** Ours: whoever asks once a second misses nothing. */
const WINDOW_MS = 2_000;

interface Sample {
  atMs: number;
  lagMs: number;
}

export class HostLag {
  readonly #ping: () => void;
  #samples: Sample[] = [];
  #sentMs: number | null = null;

  /** `ping` makes the other thread call for `pong`. */
  constructor(ping: () => void) {
    this.#ping = ping;
    this.#pause();
  }

  /** The other thread has answered. */
  pong(): void {
    if (this.#sentMs === null) return;
    this.#take(performance.now() - this.#sentMs);
    this.#sentMs = null;
    this.#pause();
  }

  /** The longest lag of either thread within the last seconds, in ms. */
  worstMs(): number {
    const nowMs = performance.now();
    const waitingMs = this.#sentMs === null ? 0 : nowMs - this.#sentMs;
    return this.#samples.reduce((worst, { lagMs }) => Math.max(worst, lagMs), waitingMs);
  }

  #pause(): void {
    const startMs = performance.now();
    const timer = setTimeout(() => {
      const nowMs = performance.now();
      this.#take(Math.max(0, nowMs - startMs - PAUSE_MS));
      this.#sentMs = nowMs;
      this.#ping();
    }, PAUSE_MS);
    timer.unref();
  }

  #take(lagMs: number): void {
    const atMs = performance.now();
    this.#samples = [
      ...this.#samples.filter((each) => each.atMs > atMs - WINDOW_MS),
      { atMs, lagMs },
    ];
  }
}
