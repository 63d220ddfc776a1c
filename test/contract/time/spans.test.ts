/** Spans of time that are joined, and what comes in groups. */

import { expect, it } from "vitest";
import { groupsOf, joined, joinedBy, overlapMs } from "../../../contract/time/spans.ts";

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });

it("spans that touch or hold each other are one, in order of time", () => {
  const spans = [span(50, 60), span(0, 30), span(10, 20), span(30, 40)];
  expect(joined(spans)).toEqual([span(0, 40), span(50, 60)]);
  expect(joined([])).toEqual([]);
});

it("what joined spans tell besides is kept", () => {
  const told = [
    { ...span(0, 10), n: 1 },
    { ...span(5, 8), n: 2 },
  ];
  const both = joinedBy(told, (a, b) => ({ ...a, n: a.n + b.n }));
  expect(both).toEqual([{ ...span(0, 10), n: 3 }]);
});

it("the overlap is the time within, whichever of them it is in", () => {
  expect(overlapMs([span(0, 10), span(20, 40), span(90, 95)], span(5, 30))).toBe(15);
});

it("a group ends where the next is apart from the last one, not from the first", () => {
  const groups = groupsOf([1, 3, 5, 9, 10], (next, before) => next - before > 2);
  expect(groups).toEqual([
    [1, 3, 5],
    [9, 10],
  ]);
  expect(groupsOf([], () => true)).toEqual([]);
});
