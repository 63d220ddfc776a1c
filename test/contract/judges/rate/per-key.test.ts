/** Whose a limit is: a key has its whole allowance beside others that have none left. */

import { describe, expect, it } from "vitest";
import type { IsolationTrial } from "../../../../contract/judges/rate/per-key.ts";
import { perKeyClaim } from "../../../../contract/judges/rate/per-key.ts";
import type { Burst } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { exchangeAt } from "./simulated-trial.ts";

function burstOf(admitted: number): Burst {
  const shots = Array.from({ length: 26 }, (_, i) => exchangeAt(i, i < admitted ? 200 : 429));
  return { restedMs: 2_500, shots };
}

describe("rate.per-key", () => {
  const whole: IsolationTrial = {
    key: "free-b",
    exhausted: ["free-a"],
    refusedOfOthers: 6,
    burst: 20,
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
    ["an unexhausted other key proves nothing", { refusedOfOthers: 0 }, "inconclusive"],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => {
      expect(decide(perKeyClaim([{ ...whole, ...change }])).verdict).toBe(expected);
    });
  }

  it("is unobserved with one key", () => {
    expect(decide(perKeyClaim([])).verdict).toBe("unobserved");
  });
});
