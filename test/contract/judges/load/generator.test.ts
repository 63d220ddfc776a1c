/** The generator and its machine, before the service. */

import { describe, expect, it } from "vitest";
import { generatorDoubt } from "../../../../contract/judges/load/generator.ts";
import { IDLE } from "./offences.ts";

const HEALTHY = { scheduled: 1_000, dropped: 0, lagP99Ms: 5, loopDelayP99Ms: 3, loopDelayMaxMs: 9 };

const CASES = [
  { title: "an idle machine", health: {}, lag: IDLE, doubt: null },
  {
    title: "a machine that is fairly busy",
    health: {},
    lag: { ...IDLE, wholeMs: 300 },
    doubt: null,
  },
  {
    title: "a machine that lets threads wait",
    health: {},
    lag: { ...IDLE, wholeMs: 900 },
    doubt: /let threads wait for 900 ms/,
  },
  {
    title: "dropped submissions",
    health: { dropped: 21 },
    lag: IDLE,
    doubt: /dropped 21 of 1000/,
  },
  { title: "a few dropped submissions", health: { dropped: 20 }, lag: IDLE, doubt: null },
  { title: "late submissions", health: { lagP99Ms: 300 }, lag: IDLE, doubt: /late by 300 ms/ },
  { title: "late timers", health: { loopDelayP99Ms: 260 }, lag: IDLE, doubt: /late by 260 ms/ },
] as const;

describe("generatorDoubt", () => {
  it.each(CASES)("$title", ({ health, lag, doubt }) => {
    const said = generatorDoubt({ ...HEALTHY, ...health }, lag);
    if (doubt === null) expect(said).toBeNull();
    else expect(said).toMatch(doubt);
  });
});
