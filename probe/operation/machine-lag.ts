/**
 * How late this machine lets the threads of the probe and of its receiver run. What that may have
 * brought about itself (an answer to a webhook that came too late, a local service's slow timer) is
 * held against nobody.
 */

import { performance } from "node:perf_hooks";

import type { Clock } from "../clock.ts";

/** A stretch of time and by how much a thread was late in it; milliseconds. */
export interface LagStretch {
  toMs: number;
  lagMs: number;
}

/** Ours: finer than any lag that a verdict is withheld for, and no load. */
const BEAT_MS = 10;
/** Ours: the receiver keeps its own for two seconds. */
const HEAR_MS = 1_000;
/** Ours: nothing is asked about that is older than the watch of a late job. */
const SECONDS_KEPT = 1_800;
/** Ours: a lag that ended this long before something may have made it late. */
const MARGIN_MS = 2_000;

export class MachineLag {
  readonly #clock: Clock;
  readonly #hear: () => Promise<readonly LagStretch[]>;
  /** The worst of each second, oldest first. */
  readonly #worst = new Map<number, number>();

  /** `hear` tells the lags of the last seconds as another thread has seen them. */
  constructor(clock: Clock, hear: () => Promise<readonly LagStretch[]> = async () => []) {
    this.#clock = clock;
    this.#hear = hear;
  }

  /** Watches until the signal. */
  start(signal: AbortSignal): void {
    let [dueMs, heardMs] = [performance.now() + BEAT_MS, performance.now()];
    const beat = setInterval(() => {
      const nowMs = performance.now();
      this.note(nowMs - dueMs);
      dueMs = nowMs + BEAT_MS;
      if (nowMs < heardMs + HEAR_MS) return;
      heardMs = nowMs;
      void this.#listen();
    }, BEAT_MS).unref();
    signal.addEventListener("abort", () => clearInterval(beat));
  }

  /** Something was late by so much just now. */
  note(lagMs: number): void {
    const second = Math.floor(this.#clock.nowMs() / 1_000);
    if (lagMs <= (this.#worst.get(second) ?? 0)) return;
    this.#worst.set(second, lagMs);
    if (this.#worst.size <= SECONDS_KEPT) return;
    for (const oldest of this.#worst.keys()) {
      this.#worst.delete(oldest);
      return;
    }
  }

  /** The worst lag from then until now, in ms. */
  async since(fromMs: number): Promise<number> {
    await this.#listen();
    const fromSecond = Math.floor((fromMs - MARGIN_MS) / 1_000);
    let worstMs = 0;
    for (const [second, lagMs] of this.#worst) {
      if (second >= fromSecond) worstMs = Math.max(worstMs, lagMs);
    }
    return worstMs;
  }

  async #listen(): Promise<void> {
    const stretches = await this.#hear();
    for (const { lagMs } of stretches) this.note(lagMs);
  }
}
