/**
 * Calls at given times, on one Node timer: thousands of jobs wait for their next poll at once, and
 * a timer for each would cost as much as the poll.
 */

import type { Due } from "../contract/time/due-queue.ts";
import { dueQueue } from "../contract/time/due-queue.ts";

/** Ours: the longest delay that a Node timer takes; longer waits are made of several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** A call that is made again and again, each time at another time. */
export interface Alarm {
  /** Calls back at that time or later, and no more at one that was set before. */
  set(atMs: number): void;
  off(): void;
}

interface Call {
  readonly callback: () => void;
  /** When it is due; null once it was made or called off. */
  due: Due<Call> | null;
}

export class TimerQueue {
  readonly #nowMs: () => number;
  readonly #calls = dueQueue<Call>();
  #timer: NodeJS.Timeout | null = null;
  /** When the timer fires. */
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Calls back at that time of `nowMs` or later, never sooner. Gives back what calls it off. */
  callAt(atMs: number, callback: () => void): () => void {
    const call: Call = { callback, due: null };
    this.#set(call, atMs);
    return () => this.#callOff(call);
  }

  /** Calls back as `callAt` does, whenever it is set. */
  alarm(callback: () => void): Alarm {
    const call: Call = { callback, due: null };
    return { set: (atMs) => this.#set(call, atMs), off: () => this.#callOff(call) };
  }

  /** The time jumped: what is due by now is called soon. */
  recheck(): void {
    this.#disarm();
    const firstMs = this.#calls.nextDueMs();
    if (firstMs === Number.POSITIVE_INFINITY) return;
    this.#armedForMs = firstMs;
    const restMs = Math.max(0, Math.ceil(firstMs - this.#nowMs()));
    this.#timer = setTimeout(() => this.#fire(), Math.min(restMs, TIMER_MS_MAX));
  }

  #set(call: Call, atMs: number): void {
    if (call.due !== null) this.#calls.remove(call.due);
    call.due = this.#calls.add(atMs, call);
    if (atMs < this.#armedForMs) this.recheck();
  }

  #callOff(call: Call): void {
    if (call.due !== null) this.#calls.remove(call.due);
    call.due = null;
    if (this.#calls.size === 0) this.#disarm();
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#disarm();
    const nowMs = this.#nowMs();
    const take = () => this.#calls.take(nowMs);
    const calls: Call[] = [];
    for (let call = take(); call !== null; call = take()) calls.push(call);
    for (const call of calls) {
      // One that is due may call another off, or set it anew.
      if (call.due === null || call.due.place >= 0) continue;
      call.due = null;
      call.callback();
    }
    if (this.#timer === null) this.recheck();
  }
}
