/**
 * Time that passes only when nothing in the process is left to do: each event runs to the end of
 * all that follows from it, then the clock moves to the next one. A discrete-event simulation; see
 * Banks et al., "Discrete-Event System Simulation", chapter 3, event scheduling.
 */

import type { Clock } from "../contract/clock.ts";
import { dueQueue } from "../contract/due-queue.ts";

export class VirtualClock implements Clock {
  #nowMs: number;
  /** Of two events of one time the one that was scheduled earlier comes first. */
  readonly #events = dueQueue<() => void>();

  /** Begins at that many milliseconds since the epoch. */
  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): () => void {
    if (delayMs === Number.POSITIVE_INFINITY) return () => {};
    return this.at(this.#nowMs + Math.max(0, delayMs), callback);
  }

  /** Calls back at that time; at once where it has passed. Gives back what cancels the call. */
  at(dueMs: number, callback: () => void): () => void {
    const event = this.#events.add(Math.max(this.#nowMs, dueMs), callback);
    return () => this.#events.remove(event);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /**
   * Lets time pass until the work is done. Rejects as the work does, and when the work waits for
   * something that nobody will do, or is not done by `limitMs` from now.
   */
  run<Result>(work: Promise<Result>, limitMs: number): Promise<Result> {
    const endMs = this.#nowMs + limitMs;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      work.then(resolve, reject).finally(over);
      const step = () => {
        if (isOver) return;
        const nextMs = this.#events.nextDueMs();
        const callback = this.#events.take(endMs);
        if (callback === null) {
          over();
          const seconds = Math.round(limitMs / 1_000);
          const isIdle = this.#events.size === 0;
          const why = isIdle
            ? "nothing is due any more"
            : `${seconds} s of virtual time have passed`;
          reject(new Error(`the simulated work did not end: ${why}`));
          return;
        }
        this.#nowMs = nextMs;
        try {
          callback();
        } catch (error) {
          over();
          reject(error);
          return;
        }
        // Promises that follow from the event are settled before the next immediate.
        setImmediate(step);
      };
      setImmediate(step);
    });
  }
}
