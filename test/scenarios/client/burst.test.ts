/** How long it may take to spend a burst: k6 has to leave a set-up as much time. */

import { expect, it } from "vitest";
import { spendBurst, spendingMsMax } from "../../../scenarios/client/burst.ts";
import { VirtualClock } from "../../../simulation/virtual-clock.ts";

/** Ours: longer than any of them. */
const LIMIT_MS = 600_000;

it.each([
  [2_000, 0],
  [2_000, 15_000],
  [12_000, 0],
  [20_000, 0],
])(
  "a burst that is refused three times is spent in time, with windows of %d ms, answers of %d ms",
  async (windowMs, answerMs) => {
    const clock = new VirtualClock(0);
    const time = { now: () => clock.nowMs(), delay: (ms: number) => clock.sleep(ms) };
    let asked = 0;
    // Refuses as long as it can while the key rests, and at the end of each overload.
    const ask = async () => {
      asked += 1;
      const number = asked;
      await clock.sleep(answerMs);
      return number <= 3 || number % 30 === 0 ? windowMs + 1_000 : null;
    };
    await clock.run(
      spendBurst(time, ask, { perSecond: 1, windowMs, start: { atMs: 0 } }),
      LIMIT_MS,
    );
    expect(clock.nowMs()).toBeLessThanOrEqual(spendingMsMax(windowMs, answerMs));
    expect(clock.nowMs()).toBeGreaterThanOrEqual(3 * (windowMs + 1_000));
  },
);
