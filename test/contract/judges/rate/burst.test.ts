/** Bursts of a rested key, by how many got through each time. */

import { describe, expect, it } from "vitest";
import { burstClaim } from "../../../../contract/judges/rate/burst.ts";
import { measured, measuredWatch } from "../../../../contract/judges/rate/measured.ts";
import type { Burst } from "../../../../contract/judges/rate/trial.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import { DEFAULT_TOLERANCES } from "../../../../contract/run/run-plan.ts";
import { judged, judgedRests } from "./judged.ts";
import { exchangeAt, FREE, simulateTrial } from "./simulated-trial.ts";

describe("bursts that fall short of the limit's", () => {
  /** As many of 26 requests at once get through in each burst, the last answer after so long. */
  const found = (counts: number[], firstTookMs = 20) => {
    const bursts = counts.map((count, at): Burst => {
      const sentAtMs = at * 5_000;
      const shots = Array.from({ length: 26 }, (_, n) =>
        exchangeAt(sentAtMs, n < count ? 200 : 429, n < count ? {} : { "retry-after": "1" }),
      );
      const tookMs = at === 0 ? firstTookMs : 20;
      return {
        restedMs: 4_600,
        shots: shots.map((shot) => ({ ...shot, receivedAtMs: sentAtMs + tookMs })),
      };
    });
    const trial = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
    return judged(burstClaim, { ...trial, volleys: bursts });
  };

  it("are in doubt after one that got all of it: it may come back slowly", () => {
    for (const counts of [
      [20, 11, 10],
      [20, 11, 20],
      [20, 19, 11],
      [21, 20, 10],
    ]) {
      const { verdict, reason } = found(counts);
      expect({ counts, verdict }).toEqual({ counts, verdict: "inconclusive" });
      expect(reason).toContain("a spent burst was not back yet");
    }
  });

  it.each([
    ["none gets all of it", [19, 11, 10], 20],
    ["the first falls short", [17, 20, 20], 20],
    ["another one gets too much", [25, 11, 10], 20],
    ["a first one too slow to tell got more", [20, 17, 17], 350],
  ])("break rate.burst where %s", (_, counts, firstTookMs) => {
    expect(found(counts, firstTookMs).verdict).toBe("broken");
  });
});

it("a request that failed in one of several bursts was no refusal", () => {
  const whole = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  /** In that many of the bursts the first request is answered so. */
  const verdict = (failing: number, status: number) => {
    const volleys = whole.volleys.map((burst, at) => ({
      ...burst,
      shots: burst.shots.map((shot, n) =>
        n === 0 && at < failing ? { ...shot, ...exchangeAt(shot.sentAtMs, status) } : shot,
      ),
    }));
    return judged(burstClaim, { ...whole, volleys }).verdict;
  };
  expect(whole.volleys).toHaveLength(3);
  expect([500, 0].map((status) => verdict(1, status))).toEqual(["kept", "kept"]);
  expect(verdict(2, 500)).toBe("inconclusive");
  expect(verdict(1, 429)).toBe("broken");
});

it("one key whose burst nobody could see leaves the promise open, whatever others show", () => {
  const whole = simulateTrial({ kind: "token-bucket", actual: FREE, promised: FREE });
  const blind = whole.volleys.map((burst) => ({
    ...burst,
    // A fifth got no answer, and nothing was refused.
    shots: burst.shots.slice(0, 20).map((shot, n) => exchangeAt(shot.sentAtMs, n < 16 ? 200 : 0)),
  }));
  const both = [whole, { ...whole, key: "free-b", volleys: blind }];
  const measures = both.map((trial) => measured(trial, DEFAULT_TOLERANCES));
  expect(decide(burstClaim(measures.slice(0, 1), DEFAULT_TOLERANCES)).verdict).toBe("kept");
  expect(decide(burstClaim(measures, DEFAULT_TOLERANCES)).verdict).toBe("inconclusive");
});

describe("bursts after long rests", () => {
  const judge = (counts: readonly number[], isMixed = false, lastRestedMs = 31_000) => {
    const bursts = counts.map((count, index) => ({
      restedMs: index < counts.length - 1 ? 31_000 : lastRestedMs,
      isMixed: isMixed && index > 0,
      shots: Array.from({ length: 26 }, (_, n) =>
        exchangeAt(index * 40_000, n < count ? 200 : 429),
      ),
    }));
    const watch = { key: "free-a", limit: FREE, volleys: bursts, presses: [] };
    return judgedRests(watch).verdict;
  };

  it.each([
    ["whole ones", [20, 21], "kept"],
    ["one at the edge of a window", [26], "kept"],
    ["several that are too long", [26, 26, 26], "broken"],
    ["one that is short", [20, 18], "broken"],
  ] as const)("%s", (_, counts, verdict) => {
    expect(judge(counts)).toBe(verdict);
  });

  it.each([
    ["78 ms, which are no rest", 78, "kept"],
    ["as long as a bucket takes to fill", 2_000, "broken"],
  ] as const)("one that is short after %s", (_, restedMs, verdict) => {
    expect(judge([20, 20, 8], false, restedMs)).toBe(verdict);
  });

  it.each([
    ["is short", [20, 18, 20], "broken"],
    ["is too long, as one of them has an allowance of its own", [20, 26, 26, 26], "kept"],
  ] as const)("one that asks all endpoints in turn and %s", (_, counts, verdict) => {
    expect(judge(counts, true)).toBe(verdict);
  });
});

describe("bursts with submissions", () => {
  const burst = (restedMs: number, admitted: number, isMixed: boolean): Burst => ({
    restedMs,
    isMixed,
    shots: Array.from({ length: 26 }, (_, n) => exchangeAt(restedMs, n < admitted ? 200 : 429)),
  });
  const watchOf = (burst: Burst) => {
    const watch = { key: "free-a", limit: FREE, volleys: [burst], presses: [] };
    return measuredWatch(watch, DEFAULT_TOLERANCES, []);
  };
  const found = (...bursts: readonly Burst[]) =>
    decide(burstClaim([], DEFAULT_TOLERANCES, bursts.map(watchOf)));

  it("are shown beside those of the same key after longer rests", () => {
    const { evidence } = found(burst(5_000, 22, true), burst(31_000, 20, false));
    expect(evidence).toMatchObject({
      "free-a with submissions": { admitted: [22], restsMs: [5_000] },
      "free-a after long rests": { admitted: [20], restsMs: [31_000] },
    });
  });

  it.each([
    ["all", 26, "kept", "20 requests or more"],
    ["the plan's", 20, "kept", "20 requests"],
    ["less than the plan's", 12, "broken", "12 requests"],
  ] as const)(
    "that let through %s tell of no more than the plan's",
    (_, count, verdict, measured) => {
      const finding = found(burst(5_000, count, true));
      expect(finding.verdict).toBe(verdict);
      expect(finding.evidence).toMatchObject({ measured: [measured] });
    },
  );
});
