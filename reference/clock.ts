/** Time of one service: a clock that never steps, and timers that never fire early. */

import { performance } from "node:perf_hooks";

/** Milliseconds since the epoch with fractions, from a monotonic clock. */
export function preciseNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Ours: the longest delay that a Node timer takes; longer waits are made of several. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The timers of one service, so that closing it leaves none behind. */
export class Timers {
  private readonly pending = new Set<Timer>();
  private closed = false;

  /**
   * Calls back once `delayMs` have passed, measured on the monotonic clock: Node's own timers
   * count whole milliseconds of the event loop's time, and may fire up to one of them early.
   * Gives back a function that calls it off.
   */
  after(delayMs: number, callback: () => void): () => void {
    const timer: Timer = { dueMs: performance.now() + delayMs, callback, handle: undefined };
    if (delayMs !== Number.POSITIVE_INFINITY) this.arm(timer);
    return () => this.callOff(timer);
  }

  /** Resolves after the delay; never, when the service is closed before. */
  pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  close(): void {
    this.closed = true;
    for (const timer of this.pending) this.callOff(timer);
  }

  private callOff(timer: Timer): void {
    clearTimeout(timer.handle);
    this.pending.delete(timer);
  }

  private arm(timer: Timer): void {
    if (this.closed) return;
    const remainingMs = Math.min(Math.max(0, timer.dueMs - performance.now()), TIMER_MS_MAX);
    timer.handle = setTimeout(() => {
      this.pending.delete(timer);
      if (performance.now() < timer.dueMs) this.arm(timer);
      else timer.callback();
    }, Math.floor(remainingMs));
    this.pending.add(timer);
  }
}

interface Timer {
  dueMs: number;
  callback: () => void;
  handle: NodeJS.Timeout | undefined;
}
