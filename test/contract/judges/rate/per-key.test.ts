/** Whose a limit is: a key has its whole allowance beside others that have none left. */

import { describe, expect, it } from "vitest";
import type { IsolationTrial } from "../../../../contract/judges/rate/per-key.ts";
import { perKeyClaim } from "../../../../contract/judges/rate/per-key.ts";
import type { Burst } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { exchangeAt } from "./simulated-trial.ts";

function burstOf(admitted: number, everyMs = 1, failed = 0): Burst {
  const shots = Array.from({ length: 26 }, (_, i) => {
    const status = i < admitted ? 200 : i < admitted + failed ? 0 : 429;
    return exchangeAt(i * everyMs, status);
  });
  return { restedMs: 2_500, shots };
}

describe("rate.per-key", () => {
  const whole: IsolationTrial = {
    key: "free-b",
    exhausted: ["free-a"],
    refusedOfOthers: 6,
    burst: 20,
    sustained: 10,
    besideExhausted: [burstOf(20)],
    alone: [],
  };
  const cases: readonly [string, Partial<IsolationTrial>, string][] = [
    ["a whole burst beside an exhausted key keeps it", {}, "kept"],
    [
      "nothing beside an exhausted key, all alone, breaks it",
      { besideExhausted: [burstOf(0), burstOf(1)], alone: [burstOf(20), burstOf(20)] },
      "broken",
    ],
    [
      "three requests lost to the exhausted key break it",
      { besideExhausted: [burstOf(17), burstOf(17)], alone: [burstOf(20), burstOf(20)] },
      "broken",
    ],
    [
      "a burst that is small alone as well is not the other key's fault",
      { besideExhausted: [burstOf(17), burstOf(17)], alone: [burstOf(17), burstOf(17)] },
      "kept",
    ],
    [
      "a burst that is small alone, and has earned more while it was sent, is no proof",
      { besideExhausted: [burstOf(12), burstOf(12)], alone: [burstOf(15, 20), burstOf(13, 20)] },
      "inconclusive",
    ],
    [
      "more than it can have earned while it was sent breaks it",
      { besideExhausted: [burstOf(12), burstOf(12)], alone: [burstOf(20, 20), burstOf(20, 20)] },
      "broken",
    ],
    [
      "a burst of which as many failed as are missing is no proof",
      {
        besideExhausted: [burstOf(17, 1, 3), burstOf(16, 1, 4)],
        alone: [burstOf(20), burstOf(20)],
      },
      "inconclusive",
    ],
    ["an unexhausted other key proves nothing", { refusedOfOthers: 0 }, "inconclusive"],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => {
      expect(decide(perKeyClaim([{ ...whole, ...change }], [])).verdict).toBe(expected);
    });
  }

  it("a burst that is as small by itself, once steps of a refill are left out, is its own", () => {
    const trial = {
      ...whole,
      besideExhausted: [burstOf(17), burstOf(17)],
      alone: [burstOf(22), burstOf(21)],
    };
    const verdictWith = (...volleys: readonly Burst[]) =>
      decide(perKeyClaim([trial], [{ key: trial.key, volleys }])).verdict;
    expect(verdictWith(burstOf(20), burstOf(20))).toBe("broken");
    expect(verdictWith(burstOf(22), burstOf(17))).toBe("kept");
  });

  it("is unobserved with one key", () => {
    expect(decide(perKeyClaim([], [])).verdict).toBe("unobserved");
  });
});
