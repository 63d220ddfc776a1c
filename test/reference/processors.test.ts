/** Runs that share processors: what each takes, and that a limit breaks one off. */

import { afterEach, describe, expect, it } from "vitest";
import { type ClosableClock, createRealClock } from "../../reference/clock.ts";
import { Processors } from "../../reference/jobs/processors.ts";
import { startReference } from "../../reference/service.ts";
import { fakeClock } from "../probe/fake-clock.ts";

const clocks: ClosableClock[] = [];
afterEach(() => {
  for (const each of clocks.splice(0)) each.close();
});

/** How long so many runs of 60 ms take together. */
async function timesOf(count: number, processors: number): Promise<number[]> {
  const own = createRealClock();
  clocks.push(own);
  const shared = new Processors(processors, own);
  const startedMs = performance.now();
  const runs = Array.from({ length: count }, () => {
    return new Promise<number>((resolve) => {
      shared.start(60, () => resolve(performance.now() - startedMs));
    });
  });
  return Promise.all(runs);
}

describe("shared processors", () => {
  it("let as many runs as there are of them go at full speed, and no faster", async () => {
    const times = await timesOf(2, 2);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(59);
  });

  it("make more runs take longer, in proportion", async () => {
    const times = await timesOf(6, 2);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(179);
  });

  it("leave the share of a run that is broken off to the others", async () => {
    const own = createRealClock();
    clocks.push(own);
    const shared = new Processors(1, own);
    const ended: string[] = [];
    const stop = shared.start(40, () => ended.push("first"));
    stop();
    await new Promise<void>((resolve) => {
      shared.start(20, () => {
        ended.push("second");
        resolve();
      });
    });
    expect(ended).toEqual(["second"]);
  });
});

describe("on a clock that a test moves", () => {
  it("runs end although fractions of milliseconds are lost in a time since the epoch", () => {
    const clock = fakeClock(1_767_225_600_000.3);
    const shared = new Processors(3, clock);
    const ended: number[] = [];
    for (const workMs of [10, 20, 30, 40, 50, 60, 70]) {
      shared.start(workMs / 3, () => ended.push(workMs));
    }
    clock.advance(1_000);
    expect(ended).toEqual([10, 20, 30, 40, 50, 60, 70]);
  });
});

describe("a service", () => {
  it.each([
    [{ processors: 0 }, "processors 0: expected a number of at least 1"],
    [{ slots: { echo: 0 } }, "echo 0: expected a whole number of at least 1"],
  ])("refuses %o", async (given, message) => {
    await expect(startReference(given)).rejects.toThrow(message);
  });
});
