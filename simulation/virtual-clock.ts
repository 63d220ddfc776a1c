/**
 * Time that passes only when nothing in the process is left to do: each event runs to the end of
 * all that follows from it, then the clock moves to the next one. A discrete-event simulation; see
 * Banks et al., "Discrete-Event System Simulation", chapter 3, event scheduling.
 */

import type { Clock } from "../contract/clock.ts";

interface Event {
  dueMs: number;
  /** Order of scheduling: of two events of one time the earlier one comes first. */
  order: number;
  callback: (() => void) | null;
  /** Settles no promise: the next event need not wait for what follows from that. */
  isPlain: boolean;
}

/** Ours: a turn of Node's own loop costs more than most events do, and few let signals through. */
const EVENTS_A_TURN = 1_000;
/** Ours: below that, events that were called off cost next to nothing. */
const CALLED_OFF_MAX = 256;

const SETTLED = Promise.resolve();

export class VirtualClock implements Clock {
  #nowMs: number;
  #order = 0;
  #events: Event[] = [];
  /** Of the events; most are time limits of requests that were answered. */
  #calledOff = 0;

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
    const event = this.#add(dueMs, callback, false);
    return () => {
      if (event.callback === null) return;
      event.callback = null;
      this.#calledOff += 1;
      if (this.#calledOff > CALLED_OFF_MAX) this.#tidy();
    };
  }

  /** As `at`, for a callback that settles no promise: what follows from it are events. */
  plainAt(dueMs: number, callback: () => void): void {
    if (dueMs !== Number.POSITIVE_INFINITY) this.#add(dueMs, callback, true);
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
      const event = this.#next();
      if (event === null || event.dueMs > endMs) {
        const seconds = Math.round(limitMs / 1_000);
        const why =
          event === null ? "nothing is due any more" : `${seconds} s of virtual time have passed`;
        throw new Error(`the simulated work did not end: ${why}`);
      }
      this.#nowMs = event.dueMs;
      const { callback } = event;
      // From now on there is nothing to call off.
      event.callback = null;
      callback?.();
      if (!event.isPlain) return;
    }
  }

  #add(dueMs: number, callback: () => void, isPlain: boolean): Event {
    this.#order += 1;
    const due = Math.max(this.#nowMs, dueMs);
    const event: Event = { dueMs: due, order: this.#order, callback, isPlain };
    push(this.#events, event);
    return event;
  }

  /** Drops what was called off once it is half of all; a sorted list is a heap. */
  #tidy(): void {
    if (this.#calledOff * 2 < this.#events.length) return;
    const due = this.#events.filter(({ callback }) => callback !== null);
    this.#events = due.sort((a, b) => (isBefore(a, b) ? -1 : 1));
    this.#calledOff = 0;
  }

  #next(): Event | null {
    for (;;) {
      const event = pop(this.#events);
      if (event === null || event.callback !== null) return event;
      this.#calledOff -= 1;
    }
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

/** A binary heap, soonest first. */
function push(heap: Event[], event: Event): void {
  let index = heap.length;
  heap.push(event);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent];
    if (above === undefined || !isBefore(event, above)) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = event;
}

function pop(heap: Event[]): Event | null {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined) return null;
  if (heap.length === 0) return first;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    let below = heap[child];
    if (below === undefined) break;
    const right = heap[child + 1];
    if (right !== undefined && isBefore(right, below)) {
      child += 1;
      below = right;
    }
    if (!isBefore(below, last)) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return first;
}
