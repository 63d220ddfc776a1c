/** What a kept promise rules out, as a person reads it. */

import { expect, it } from "vitest";
import type { Measured } from "../../contract/strength.ts";
import { strengthText } from "../../report/strength-text.ts";

const BURST: Measured = {
  what: "pro: burst",
  unit: "requests",
  low: 100,
  high: 101,
  leastTolerated: 100,
  mostTolerated: null,
};

it.each<[string, Partial<Measured>, string]>([
  ["both bounds", {}, "pro: burst 100 to 101 (tolerated at least 100)"],
  ["one value", { high: 100 }, "pro: burst 100 (tolerated at least 100)"],
  ["no upper bound", { high: null }, "pro: burst at least 100 (tolerated at least 100)"],
  ["no lower bound", { low: null }, "pro: burst at most 101 (tolerated at least 100)"],
  ["nothing tolerated", { leastTolerated: null }, "pro: burst 100 to 101"],
])("a quantity with %s", (_, change, text) => {
  expect(strengthText({ looks: [], measured: [{ ...BURST, ...change }], notTried: [] })).toBe(text);
});

it("a share that is nothing but arithmetic is told as 0 %", () => {
  const [low, high] = [-3.25e-7, 0.00579];
  const share: Measured = { ...BURST, what: "jobs", unit: "share", low, high };
  const measured = [{ ...share, leastTolerated: null, mostTolerated: 0.25 }];
  expect(strengthText({ looks: [], measured, notTried: [] })).toBe(
    "jobs 0 % to 0.58 % (tolerated at most 25 %)",
  );
});

it("what was looked at once is told in the singular", () => {
  const of = ["lists", "ways to fail", "queries", "series", "requests after Retry-After"];
  const looks = of.map((each) => ({ of: each, count: 1, faultShareBelow: 0.95 }));
  expect(strengthText({ looks, measured: [], notTried: [] })).toBe(
    "1 list, 1 way to fail, 1 query, 1 series, 1 request after Retry-After: " +
      "rules out faults in more than 95 %",
  );
});
