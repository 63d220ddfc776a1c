/** The timers of the service: never early, and gone when they are called off. */

import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { Timers } from "../../reference/clock.ts";

describe("timers", () => {
  it("never fire early", async () => {
    const timers = new Timers();
    const delays = Array.from({ length: 40 }, (_, n) => 1.3 + n * 0.37);
    const spans = await Promise.all(
      delays.map(async (delayMs) => {
        const startMs = performance.now();
        await timers.pause(delayMs);
        return performance.now() - startMs - delayMs;
      }),
    );
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(0);
  });

  it("can be called off, one by one and all together", async () => {
    const timers = new Timers();
    const fired: string[] = [];
    timers.after(2, () => fired.push("called off"))();
    await timers.pause(6);
    timers.after(2, () => fired.push("closed"));
    timers.close();
    timers.after(1, () => fired.push("after closing"));
    await new Promise((resolve) => setTimeout(resolve, 12));
    expect(fired).toEqual([]);
  });
});
