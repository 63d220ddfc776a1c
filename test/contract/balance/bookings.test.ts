/** How far apart charges are booked, by looks at an account. */

import { expect, it } from "vitest";
import {
  bookedEveryMs,
  bookedEveryMsIn,
  isBookedTogether,
} from "../../../contract/balance/bookings.ts";

/** Looks that are 2 s apart; null: one failed. */
function looksAt(amounts: readonly (number | null)[], unsteady = 0) {
  return amounts.map((amount, at) => ({
    amounts: amount === null ? {} : { "credits.balance": amount },
    atMs: 2_000 * at,
    isSteady: at >= unsteady,
  }));
}

it.each([
  ["one by one", [9, 8, 7, 6], 2_000],
  ["together, at two looks that are far apart", [9, 5, 5, 5, 1], 6_000],
  ["together, where the first of two looks failed", [9, 5, 5, null, 1], 6_000],
  ["together once", [9, 9, 5, 5, 5], null],
  ["not at all", [9, 9, 9], null],
])("charges that are booked %s", (_, amounts, everyMs) => {
  expect(bookedEveryMs(looksAt(amounts), "credits.balance")).toBe(everyMs);
});

it("is not told by how long the first jobs take to end", () => {
  expect(bookedEveryMs(looksAt([9, 8, 8, 8, 7, 6], 3), "credits.balance")).toBe(2_000);
});

it("is told by no look of unknown time", () => {
  const looks = looksAt([9, 8, 7]).map(({ atMs: _, ...look }) => look);
  expect(bookedEveryMs(looks, "credits.balance")).toBeNull();
});

it("is for all accounts what the slowest of them shows", () => {
  const [fast, slow, idle] = [looksAt([9, 8, 7]), looksAt([9, 8, 8, 7]), looksAt([9, 9])];
  expect(bookedEveryMsIn([fast, slow, idle])).toBe(4_000);
  expect(bookedEveryMsIn([idle])).toBeNull();
});

it.each([
  ["one by one", [9, 8, 8, 7, 6], 90, false],
  ["so many at once that looks between show none", [9, 8, 8, 8, 5, 5, 5, 2], 90, true],
  ["one by one, of jobs that seldom end", [9, 8, 8, 8, 5, 5, 5, 2], 5, false],
  ["one by one, and shown in whole credits", [9, 8, 8, 8, 7, 7, 7, 6], 90, false],
  ["once", [9, 9, 9, 8], 90, false],
] as const)("charges that are booked %s", (_, amounts, jobs, isTogether) => {
  expect(isBookedTogether(looksAt(amounts), "credits.balance", jobs)).toBe(isTogether);
});
