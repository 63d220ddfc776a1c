/** A clock that a test moves: the probe's, and the one that whole programs are given. */

import type { Clock } from "../../contract/clock.ts";
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
  const calls = new Set<{ atMs: number; callback: () => void }>();
  const due = (untilMs: number) =>
    [...calls].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
  const fire = (untilMs: number, moves: boolean) => {
    for (let call = due(untilMs); call !== undefined; call = due(untilMs)) {
      calls.delete(call);
      if (moves) nowMs = Math.max(nowMs, call.atMs);
      call.callback();
    }
  };
  const callAt: ProbeClock["callAt"] = (atMs, callback) => {
    const call = { atMs, callback };
    calls.add(call);
    return () => void calls.delete(call);
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
