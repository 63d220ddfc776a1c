/** A clock that a test moves: the probe's, and the one that whole programs are given. */

import type { Clock } from "../../contract/time/clock.ts";
import { dueQueue } from "../../contract/time/due-queue.ts";
import type { Clock as ProbeClock } from "../../probe/clock.ts";
import { probeClock, soonOfMachine } from "../../simulation/probe-clock.ts";

export interface FakeClock extends Clock, ProbeClock {
  /** Fires what is due on the way, in order. */
  advance(ms: number): void;
  /** Time passes while the process stands still: what was due fires afterwards, all at once. */
  suspend(ms: number): void;
}

export function fakeClock(startMs = 1_000_000): FakeClock {
  let nowMs = startMs;
  const calls = dueQueue<() => void>();
  const fire = (untilMs: number, moves: boolean) => {
    for (let dueMs = calls.nextDueMs(); dueMs <= untilMs; dueMs = calls.nextDueMs()) {
      const callback = calls.take(dueMs);
      if (moves) nowMs = Math.max(nowMs, dueMs);
      callback?.();
    }
  };
  const callAt: ProbeClock["callAt"] = (atMs, callback) => {
    const due = calls.add(atMs, callback);
    return () => calls.remove(due);
  };
  return {
    ...probeClock({ nowMs: () => nowMs, callAt, soon: soonOfMachine }),
    after: (delayMs, callback) => callAt(nowMs + delayMs, callback),
    advance(ms) {
      const untilMs = nowMs + ms;
      fire(untilMs, true);
      nowMs = untilMs;
    },
    suspend(ms) {
      nowMs += ms;
      fire(nowMs, false);
    },
  };
}
