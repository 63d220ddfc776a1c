/** The balance around jobs that timed out, beside figures that move by themselves. */

import { describe, expect, it } from "vitest";
import type { Amounts } from "../../../../contract/balance/read.ts";
import type { BalanceInput } from "../../../../contract/balance/spans.ts";
import { hasRisen } from "../../../../contract/balance/spans.ts";
import { judgeBalance } from "../../../../contract/judges/timeout/balance.ts";
import { standing } from "../../../../contract/judging/standing.ts";

const BALANCE = "credits.available";
const REQUESTS = "credits.requests_left";
const COUNTDOWN = "credits.resets_in_seconds";

/** How long each of them takes: the countdown tells it, cut to whole seconds. */
const SECONDS = [1.1, 6.4, 2.3, 4.1, 3.2];

/** No longer than what passes after the first timeouts. */
const HELD_MS = 9_000;

/** What each figure falls by: with a job that costs 2, 12 timeouts, no job, 6 timeouts, no job. */
function seen(falls: Readonly<Record<string, readonly number[]>>, cost = 2): BalanceInput {
  const start: Amounts = Object.fromEntries(Object.keys(falls).map((path) => [path, 1_000]));
  const readings = [start];
  for (const at of SECONDS.keys()) {
    const before = readings.at(-1) ?? start;
    const entries = Object.entries(before);
    const after = entries.map(([path, value]) => [path, value - (falls[path]?.[at] ?? 0)]);
    readings.push(Object.fromEntries(after) as Amounts);
  }
  const span = (at: number, timeouts: number) => {
    const [before = start, after = start] = readings.slice(at, at + 2);
    return { before, after, seconds: SECONDS[at] ?? 0, timeouts, knownCost: 0, exchanges: [] };
  };
  return {
    calibration: { ...span(0, 0), cost },
    waves: [span(1, 12), span(3, 6)],
    quiet: [span(2, 0), span(4, 0)],
  };
}

function saysOf(input: BalanceInput, heldMs = HELD_MS) {
  const sample = judgeBalance(input, heldMs);
  return sample === null ? null : standing(sample).says;
}

describe("the balance around timed-out jobs", () => {
  it.each([
    ["stays", { [BALANCE]: [2, 0, 0, 0] }, "good"],
    ["falls by the same for each", { [BALANCE]: [2, 12, 0, 6] }, "off"],
    ["falls without a job as well", { [BALANCE]: [2, 12, 3, 6, 2] }, "explained"],
    ["falls, and is given it back in the quiet", { [BALANCE]: [2, 12, -12, 6, -6] }, "good"],
    ["falls, and is given it back later", { [BALANCE]: [2, 12, -4, 0, -8] }, "good"],
    ["falls, and only the first is given back", { [BALANCE]: [2, 12, -12, 6] }, "explained"],
    ["falls, and is given a part back in the quiet", { [BALANCE]: [2, 12, -4, 6] }, "explained"],
    ["is given the same for each", { [BALANCE]: [2, -12, 0, -6, 0] }, "off"],
    ["is given the same in the quiet", { [BALANCE]: [2, -12, 0, -6, -6] }, "good"],
    ["is paid into, for however many jobs", { [BALANCE]: [2, -12, 0, -12, 0] }, "good"],
    ["is paid into once", { [BALANCE]: [2, -12, 0, 0, 0] }, "good"],
    ["stays beside a countdown", { [BALANCE]: [2, 0, 0, 0], [COUNTDOWN]: [1, 6, 2, 3, 3] }, "good"],
    [
      "stays beside requests that are counted down",
      { [REQUESTS]: [9, 31, 2, 24, 2], [BALANCE]: [2, 0, 0, 0] },
      "good",
    ],
    [
      "falls by the same for each, beside requests that are counted down",
      { [REQUESTS]: [9, 31, 2, 24, 2], [BALANCE]: [2, 12, 0, 6] },
      "off",
    ],
    [
      "falls by the same for each, beside a countdown",
      { [COUNTDOWN]: [1, 6, 2, 5, 3], [BALANCE]: [2, 12, 0, 6] },
      "off",
    ],
    [
      "falls once, beside a countdown",
      { [COUNTDOWN]: [1, 6, 2, 5, 3], [BALANCE]: [2, 12, 0, 0] },
      "good",
    ],
    [
      "falls without a job, beside minutes that went by before",
      { "credits.resets_in_minutes": [1, 0, 0, 0], [BALANCE]: [2, 12, 3, 6] },
      "explained",
    ],
    [
      "falls by what time does, and not in the quiet",
      { "credits.shown": [2, 0, 0, 0], [BALANCE]: [2, 6, 0, 3] },
      "off",
    ],
    [
      "falls without a job, as its countdown does",
      { [COUNTDOWN]: [1, 6, 2, 5, 3], [BALANCE]: [2, 12, 3, 6, 0] },
      "explained",
    ],
  ])("%s: %#", (_, falls, outcome) => {
    expect(saysOf(seen(falls))).toBe(outcome);
  });

  it.each([
    ["the balance", { [REQUESTS]: [9, 31, 2], [BALANCE]: [2, -12, 0] }, true],
    ["what is no balance, beside one", { [REQUESTS]: [9, -31, 2], [BALANCE]: [2, 0, 0] }, false],
    ["what may be the balance", { [REQUESTS]: [9, -31, 2] }, true],
  ])("has risen where %s does: %#", (_, falls, hasIt) => {
    expect(hasRisen(seen(falls))).toBe(hasIt);
  });

  it.each([
    ["a fraction, is none of it", 0.03, null],
    ["whole credits, may be some of it", 2, "explained"],
  ])("what counts down beside one that is shown late, as a job cost %s", (_, cost, says) => {
    expect(saysOf(seen({ [REQUESTS]: [9, 31, 2, 24, 2], [BALANCE]: [0, 0, 0, 0] }, cost))).toBe(
      says,
    );
  });

  describe("that is shown in whole credits", () => {
    /** A job of `cost`, then jobs of `known` with 12 that time out. */
    const shown = (cost: number, known: number, readings: readonly [number, number, number]) => {
      const [first, second, third] = readings.map((each) => ({ [BALANCE]: each }));
      const span = { seconds: 6, exchanges: [] };
      const calibration = { before: first ?? {}, after: second ?? {}, ...span, cost };
      const wave = { before: second ?? {}, after: third ?? {}, ...span };
      return { calibration, waves: [{ ...wave, timeouts: 12, knownCost: known }], quiet: [] };
    };

    it.each([
      ["what a job rounds by is no unit", 1.6, 4.8, [1_000, 998, 993], "good"],
      ["costs are rounded to either side", 1.6, 4.8, [1_000, 999, 994], "good"],
      ["a credit more than the costs is unexplained", 2, 6, [1_000, 998, 991], "explained"],
      ["a fall without other jobs is unexplained", 1.6, 0, [1_000, 998, 997], "explained"],
      ["a cost below the step tells a unit", 0.5, 2, [1_000, 998, 990], "good"],
    ] as const)("%s: %#", (_, cost, known, readings, outcome) => {
      expect(saysOf(shown(cost, known, readings))).toBe(outcome);
    });
  });

  it("that falls by the same for each may be held for longer than was waited", () => {
    const fallen = seen({ [BALANCE]: [2, 12, 0, 6] });
    const says = [HELD_MS, 2 * HELD_MS].map((heldMs) => saysOf(fallen, heldMs));
    expect(says).toEqual(["off", "explained"]);
  });

  it("is named where it fell, and no countdown is", () => {
    const falls = { [COUNTDOWN]: [1, 6, 2, 3, 3], [BALANCE]: [2, 12, 0, 6] };
    const named = judgeBalance(seen(falls), HELD_MS)?.what;
    expect(named).toMatch(/^credits\.available fell by 18 over 18/);
  });
});
