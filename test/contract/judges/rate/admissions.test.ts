/** What all reads of a key got in any span of time, by limiters of every kind. */

import { describe, expect, it } from "vitest";
import { judgeAdmissions, readsOf } from "../../../../contract/judges/rate/admissions.ts";
import { judgeLongRests } from "../../../../contract/judges/rate/burst.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run-plan.ts";
import { exchangeAt, FREE, KINDS, PRO, simulateTrial } from "./simulated-trial.ts";

const found = (trial: ReturnType<typeof simulateTrial>) =>
  judgeAdmissions(trial, readsOf(trial), DEFAULT_TOLERANCES);

describe.each(KINDS)("a %s", (kind) => {
  it.each([FREE, PRO])("that keeps to $sustained/s admits too many in no span", (promised) => {
    for (let seed = 1; seed <= 25; seed++) {
      expect(found(simulateTrial({ kind, actual: promised, promised, seed }))).toBeNull();
    }
  });
});

it("a bucket 15 % too fast breaks rate.sustained, and says from when on", () => {
  const actual = { sustained: 57.5, burst: 100 };
  const finding = found(simulateTrial({ kind: "token-bucket", actual, promised: PRO }));
  expect([finding?.promise, finding?.verdict]).toEqual(["rate.sustained", "broken"]);
  expect(finding?.summary).toMatch(/ requests admitted in [\d.]+ s from \d{4}-.*Z on; 50\/s and /);
});

it("a burst that is 5 too long breaks rate.burst", () => {
  const actual = { sustained: 10, burst: 25 };
  const finding = found(simulateTrial({ kind: "token-bucket", actual, promised: FREE }));
  expect([finding?.promise, finding?.verdict]).toEqual(["rate.burst", "broken"]);
});

describe("bursts after long rests", () => {
  const judge = (...counts: readonly number[]) => {
    const volleys = counts.map((count, index) => ({
      restedMs: 31_000,
      shots: Array.from({ length: 26 }, (_, n) =>
        exchangeAt(index * 40_000, n < count ? 200 : 429),
      ),
    }));
    const watch = { key: "free-a", limit: FREE, volleys, presses: [] };
    return judgeLongRests(watch, DEFAULT_TOLERANCES)?.verdict;
  };

  it.each([
    ["whole ones", [20, 21], "kept"],
    ["one at the edge of a window", [26], "kept"],
    ["several that are too long", [26, 26, 26], "broken"],
    ["one that is short", [20, 18], "broken"],
  ] as const)("%s", (_, counts, verdict) => {
    expect(judge(...counts)).toBe(verdict);
  });
});
