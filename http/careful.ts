/** Sends at a pace, and again where an answer says nothing: a caller that no service minds. */

import { setTimeout } from "node:timers/promises";

import { nowMs } from "../clock/system-clock.ts";
import { toldWaitMs } from "../contract/answers/retry-after.ts";
import { pacing } from "../contract/limits/pacing.ts";
import type { Exchange } from "../contract/requests/exchange.ts";

/** Time for those who wait; the machine's own, or a simulated one. */
export interface WaitingTime {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Rejects when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const MACHINE_TIME: WaitingTime = {
  nowMs,
  sleep: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

/** Gives a function that resolves when one more request may be sent, in the order of calls. */
export function turnsAt(
  perSecond: number,
  slack: number,
  { nowMs: now, sleep }: WaitingTime,
): (signal: AbortSignal) => Promise<void> {
  const line = pacing(perSecond, slack);
  return async (signal) => {
    const waitMs = line.book(now()) - now();
    if (waitMs > 0) await sleep(waitMs, signal);
  };
}

export interface Care {
  perSecond: number;
  /** How often a request is sent at the most. */
  attemptsMax: number;
  /** Whether an answer says nothing about what was asked, so that it is asked again. */
  saysNothing: (answer: Exchange) => boolean;
  /** The wait before it where the answer tells none; and the longest, else it is left alone. */
  waitMs: number;
  waitMsMax: number;
}

/** Gives a function that sends so; it rejects only when the signal is aborted. */
export function careful(
  { perSecond, attemptsMax, saysNothing, waitMs, waitMsMax }: Care,
  time: WaitingTime,
  signal: AbortSignal,
): (send: () => Promise<Exchange>) => Promise<Exchange> {
  const turn = turnsAt(perSecond, 0, time);
  return async (send) => {
    for (let attempt = 1; ; attempt += 1) {
      await turn(signal);
      const answer = await send();
      const toldMs = toldWaitMs(answer, waitMs);
      if (attempt === attemptsMax || !saysNothing(answer) || toldMs > waitMsMax) return answer;
      await time.sleep(toldMs, signal);
    }
  };
}
