/** What moves a balance once a load is over, and says that others move it. */

import { expect, it } from "vitest";
import type { Look } from "../../../../../contract/balance/bookings.ts";
import { accountsClaim } from "../../../../../contract/judges/load/accounting/accounts.ts";
import type { QuietReading } from "../../../../../contract/judges/load/accounting/readings.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { drawLoad, LOAD_PLAN, seenOf } from "../shares.ts";

const load = drawLoad(1, 0, 60);
const { tally } = seenOf(load, load.jobs, 1);
const spent = (tally.costs.one?.sumBillionths ?? 0) / 1e9;
const EXCESS = spent * 0.1;

function reading(readAtMs: number, credits: number): QuietReading {
  const amounts = { "credits.balance": credits };
  const quiet = { before: amounts, after: amounts, seconds: 1 };
  return { amounts, readAtMs, exchanges: [], quiet };
}

/** A tenth too much had been taken in the end; `falls`: after it, from one reading to the next. */
function verdictWhere(falls: readonly number[], meanwhile: readonly Look[] = []): string {
  const end = reading(2, 1_000 - spent - EXCESS);
  const afterwards = [0, ...falls].map((_, at) => {
    const left = falls.slice(at).reduce((sum, fall) => sum + fall, 0);
    return { "credits.balance": 1_000 - spent - EXCESS + left };
  });
  const one = { before: reading(1, 1_000), first: end, last: end, afterwards, meanwhile };
  return decide(accountsClaim({ one }, tally, LOAD_PLAN)).verdict;
}

it.each([
  ["a balance that rests after a load", [0, 0, 0], "broken"],
  ["what is booked soon after a load", [3, 0, 0], "broken"],
  ["a fee that is taken long after a load", [0, 0, 25], "inconclusive"],
  ["others' use that goes on", [1, 2, 1], "inconclusive"],
])("%s: of %j, too great a fall is %s", (_, falls, verdict) => {
  expect(verdictWhere(falls)).toBe(verdict);
});

/** Looks 2 s apart at a balance that falls at every third, so many times, by so much in all. */
const together = (taken: number, times = 10) =>
  Array.from({ length: 3 * times + 1 }, (_, at) => ({
    amounts: { "credits.balance": 1_000 - (taken * Math.floor(at / 3)) / times },
    isSteady: true,
    atMs: 2_000 * at,
  }));

it.each([
  ["the last of charges that are booked together", [0, 25, 0], "broken"],
  ["more than the last of them", [0, 25, 5], "inconclusive"],
])("%s: of %j, too great a fall is %s", (_, falls, verdict) => {
  expect(verdictWhere(falls, together(spent + EXCESS))).toBe(verdict);
});

it("others' use that is shown once, in whole credits, is none of what is booked together", () => {
  const whole = Math.floor(spent + EXCESS);
  expect(verdictWhere([0, 1, 0], together(whole, whole))).toBe("inconclusive");
});

/** Ten bookings while the load went on, and one more after it. */
it.each([
  ["all bookings take too much", EXCESS, 0, "broken"],
  ["one takes more than the jobs may that it is for, as with a fee", 0, EXCESS, "inconclusive"],
])("%s", (_, allAlong, fee, verdict) => {
  const each = (spent + allAlong) / 11;
  const first = reading(60_000, 1_000 - 10 * each);
  const last = reading(80_000, 1_000 - 11 * each - fee);
  const afterwards = [first.amounts, last.amounts, last.amounts];
  const meanwhile = together(10 * each);
  const one = { before: reading(1, 1_000), first, last, afterwards, meanwhile };
  expect(decide(accountsClaim({ one }, tally, LOAD_PLAN)).verdict).toBe(verdict);
});
