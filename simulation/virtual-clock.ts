/**
 * Time that passes only when nothing in the process is left to do: each event runs to the end of
 * all that follows from it, then the clock moves to the next one. A discrete-event simulation; see
 * Banks et al., "Discrete-Event System Simulation", chapter 3, event scheduling.
 */

import type { Clock } from "../contract/time/clock.ts";
import { dueQueue } from "../contract/time/due-queue.ts";

interface Event {
  callback: () => void;
  /** Settles no promise: the next event need not wait for what follows from that. */
  isPlain: boolean;
}

/** Ours: a turn of Node's own loop costs more than most events do, and few let signals through. */
const EVENTS_A_TURN = 1_000;
const SETTLED = Promise.resolve();

export class VirtualClock implements Clock {
  #nowMs: number;
  /** Of two events of one time the one that was scheduled earlier comes first. */
  readonly #events = dueQueue<Event>();

  /** Begins at that many milliseconds since the epoch. */
  constructor(startMs: number) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** Events that are still to come. */
  get pending(): number {
    return this.#events.size;
  }

  after(delayMs: number, callback: () => void): () => void {
    if (delayMs === Number.POSITIVE_INFINITY) return () => {};
    return this.at(this.#nowMs + Math.max(0, delayMs), callback);
  }

  /** Calls back at that time; at once where it has passed. Gives back what cancels the call. */
  at(dueMs: number, callback: () => void): () => void {
    const due = this.#events.add(Math.max(this.#nowMs, dueMs), { callback, isPlain: false });
    return () => this.#events.remove(due);
  }

  /** As `at`, for a callback that settles no promise: what follows from it are events. */
  plainAt(dueMs: number, callback: () => void): void {
    if (dueMs === Number.POSITIVE_INFINITY) return;
    this.#events.add(Math.max(this.#nowMs, dueMs), { callback, isPlain: true });
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
      const turn = () => {
        if (isOver) return;
        try {
          this.#untilPromises(endMs, limitMs);
        } catch (error) {
          over();
          reject(error);
          return;
        }
        count += 1;
        // Either comes when all promises that follow from the events are settled.
        if (count % EVENTS_A_TURN === 0) setImmediate(turn);
        else SETTLED.then(() => process.nextTick(turn));
      };
      let count = 0;
      setImmediate(turn);
    });
  }

  /** Plain events, and one that may settle promises. */
  #untilPromises(endMs: number, limitMs: number): void {
    for (;;) {
      const nextMs = this.#events.nextDueMs();
      const event = this.#events.take(endMs);
      if (event === null) {
        const isIdle = this.#events.size === 0;
        const seconds = Math.round(limitMs / 1_000);
        const why = isIdle ? "nothing is due any more" : `${seconds} s of virtual time have passed`;
        throw new Error(`the simulated work did not end: ${why}`);
      }
      this.#nowMs = nextMs;
      event.callback();
      if (!event.isPlain) return;
    }
  }
}
