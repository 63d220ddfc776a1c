/** The timers of the service: never early, and gone when they are called off. */

import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import type { Clock } from "../../contract/time/clock.ts";
import { closable, createRealClock } from "../../reference/clock.ts";
import { fakeClock } from "../probe/fake-clock.ts";

const pause = (clock: Clock, delayMs: number) =>
  new Promise<void>((resolve) => clock.after(delayMs, resolve));

describe("timers", () => {
  it("never fire early", async () => {
    const clock = createRealClock();
    const delays = Array.from({ length: 40 }, (_, n) => 1.3 + n * 0.37);
    const spans = await Promise.all(
      delays.map(async (delayMs) => {
        const startMs = performance.now();
        await pause(clock, delayMs);
        return performance.now() - startMs - delayMs;
      }),
    );
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(0);
  });

  it("can be called off, one by one and all together", async () => {
    const clock = createRealClock();
    const fired: string[] = [];
    clock.after(2, () => fired.push("called off"))();
    await pause(clock, 6);
    clock.after(2, () => fired.push("closed"));
    clock.close();
    clock.after(1, () => fired.push("after closing"));
    await new Promise((resolve) => setTimeout(resolve, 12));
    expect(fired).toEqual([]);
  });

  it("of one part are called off without those of the others", () => {
    const clock = fakeClock();
    const part = closable(clock);
    const fired: string[] = [];
    clock.after(1, () => fired.push("of the whole"));
    part.after(1, () => fired.push("of the part"));
    part.close();
    clock.advance(1);
    expect(fired).toEqual(["of the whole"]);
  });
});
