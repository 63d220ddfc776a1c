/** Runs that share processors: what each takes, and that a limit breaks one off. */

import { describe, expect, it } from "vitest";
import { Processors } from "../../reference/jobs/processors.ts";
import { startReference } from "../../reference/service.ts";
import { fakeClock } from "../probe/fake-clock.ts";

/** When so many runs of 60 ms end that begin together. */
function endsOf(count: number, processors: number): number[] {
  const clock = fakeClock(0);
  const shared = new Processors(processors, clock);
  const ends: number[] = [];
  for (let run = 0; run < count; run += 1) {
    shared.start(60, () => ends.push(Math.round(clock.nowMs())));
  }
  clock.advance(1_000);
  return ends;
}

describe("shared processors", () => {
  it("let as many runs as there are of them go at full speed, and no faster", () => {
    expect(endsOf(2, 2)).toEqual([60, 60]);
  });

  it("make more runs take longer, in proportion", () => {
    expect(endsOf(6, 2)).toEqual([180, 180, 180, 180, 180, 180]);
  });

  it("leave the share of a run that is broken off to the others", () => {
    const clock = fakeClock(0);
    const shared = new Processors(1, clock);
    const ended: string[] = [];
    const stop = shared.start(40, () => ended.push("first"));
    stop();
    shared.start(20, () => ended.push("second"));
    clock.advance(20);
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
    [{ limits: { big: { sustained: 3, burst: 0 } } }, "burst of big 0: expected a whole number"],
  ])("refuses %o", async (given, message) => {
    await expect(startReference(given)).rejects.toThrow(message);
  });
});
