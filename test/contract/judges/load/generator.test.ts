/** The generator and its machine, before the service. */

import { describe, expect, it } from "vitest";
import {
  generatorDoubt,
  machineDoubt,
  refusalDoubt,
} from "../../../../contract/judges/load/generator.ts";
import { lagOf } from "../../../../contract/judges/load/reading.ts";
import { drawLoad, seenOf } from "./shares.ts";
import { IDLE } from "./violations.ts";

const HEALTHY = { scheduled: 1_000, dropped: 0, lagP99Ms: 5, loopDelayP99Ms: 3, loopDelayMaxMs: 9 };

const LATE = [
  { title: "nothing is late", health: {}, doubt: null },
  { title: "a few dropped submissions", health: { dropped: 20 }, doubt: null },
  { title: "dropped submissions", health: { dropped: 21 }, doubt: /dropped 21 of 1000/ },
  { title: "late submissions", health: { lagP99Ms: 300 }, doubt: /late by 300 ms/ },
  { title: "late timers", health: { loopDelayP99Ms: 260 }, doubt: /late by 260 ms/ },
] as const;

const BUSY = [
  { title: "an idle machine", lag: {}, doubt: null },
  { title: "a fairly busy one", lag: { wholeMs: 300, runnablePerCore: 2 }, doubt: null },
  { title: "threads that wait", lag: { wholeMs: 900 }, doubt: /let threads wait for 900 ms/ },
  { title: "many threads that need not wait", lag: { runnablePerCore: 6 }, doubt: null },
  {
    title: "many threads, some of which wait",
    lag: { runnablePerCore: 6, wholeMs: 120 },
    doubt: /machine was busy: 6 threads were ready to run for each of its cores; at most/,
  },
] as const;

function expectDoubt(said: string | null, doubt: RegExp | null): void {
  if (doubt === null) expect(said).toBeNull();
  else expect(said).toMatch(doubt);
}

it("counts how late this machine was while jobs of the load still ran", () => {
  const load = drawLoad(1, 0, 20);
  const { tally } = seenOf(load, load.jobs, 1);
  expect(lagOf(tally)).toBeLessThan(1_000);
  expect(lagOf({ ...tally, drainLagMs: 5_000 })).toBeGreaterThanOrEqual(5_000);
});

describe("generatorDoubt", () => {
  it.each(LATE)("$title", ({ health, doubt }) => {
    expectDoubt(generatorDoubt({ ...HEALTHY, ...health }), doubt);
  });
});

describe("refusalDoubt", () => {
  it.each([
    ["two in a hundred", { scheduled: 100, throttled: 1, refused: 1 }, null],
    ["three 429s", { scheduled: 100, throttled: 3, refused: 0 }, /^of 100 .* 3 got 429 or were/],
    ["three 402s", { scheduled: 100, throttled: 0, refused: 3 }, /3 got another 4xx$/],
    ["three held back", { scheduled: 100, throttled: 0, refused: 0, heldBack: 3 }, /3 waited for/],
    ["no schedule at all", { scheduled: 0, throttled: 0, refused: 0 }, null],
  ] as const)("%s", (_, given, doubt) => {
    expectDoubt(refusalDoubt({ heldBack: 0, ...given }), doubt);
  });
});

describe("machineDoubt", () => {
  it.each(BUSY)("$title", ({ lag, doubt }) => {
    expectDoubt(machineDoubt({ ...IDLE, ...lag }), doubt);
  });
});
