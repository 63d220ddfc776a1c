/** The fall of a balance into which something was paid, or from which something else was taken. */

import { describe } from "vitest";
import { failing, falling, held, ledger, unsteady } from "./ledgers.ts";
import type { AccountingCase } from "./table.ts";
import { testAccounting } from "./table.ts";

const EVEN = [8, 8.4, 7.9, 8.1, 8, 7.8, 8.2];

/** 3.7 for each credit that jobs cost. */
const IN_TOKENS = EVEN.map((each) => 3.7 * each);

const IN_CREDITS = { "credits.balance": 1 };

/** After those: a hundred credits more, and some that were held for jobs. */
const PAID = { "credits.balance": 1_000 - 56.4 + 100 };
/** A hundred less, of which what was held for jobs gave half back. */
const TAKEN = { "credits.balance": 1_000 - 56.4 - 52 };
const RELEASED = { "credits.balance": 1_000 - 56.4 + 7.5 };

/** Looks after which a cached view had been made anew. */
const GAPS = [3, 1, 3, 2, 1, 1, 4, 4, 1, 3, 1, 4, 1, 1, 1, 1, 1, 3];
/** It is unmoved in between, and moves by all of them at once; by so much less at one of them. */
const cached = (less: number) =>
  GAPS.flatMap((looks, at) => [
    ...Array.from({ length: looks - 1 }, () => 0),
    8 * looks - (at === 7 ? less : 0),
  ]);

/** The first looks of a load come before it is steady. */
const begun = (falls: readonly number[], early: number) =>
  falling(falls).map((reading, at) => ({ ...reading, isSteady: at >= early }));

/** The last looks of a load come after its last submission. */
const ended = (falls: readonly number[], late: number) =>
  falling(falls).map((reading, at) => ({ ...reading, isSteady: at < falls.length - late }));

/** A load that is steady for three looks; then what was held for its jobs is given back. */
const brief = (...falls: readonly [number, number, number, number, number]) => {
  const all = [...falls, 11, 0, -4, -4, -5, -5, -2];
  return falling([0, ...all]).map((reading, at) => ({ ...reading, isSteady: at >= 2 && at < 6 }));
};

/** A load in which many jobs' charges are booked together, after so many looks each time. */
const batches = (falls: readonly number[]) =>
  falling(falls.flatMap((fall) => [...Array.from({ length: 6 }, () => 0), fall]));

/** The first looks at a balance that then falls as it should. */
const resting = (looks: number, falls: readonly number[]) =>
  begun([...Array.from({ length: looks }, () => 0), ...falls], 3);

const CASES: readonly AccountingCase[] = [
  {
    title: "too little, as credits that nobody shows were used up first",
    given: ledger(115, { meanwhile: resting(6, [3, ...EVEN, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little in a short load, as what was used was given back in its midst",
    given: ledger(71, { cost: 117, meanwhile: brief(2, 30, -17, 32, 33) }),
    verdict: "inconclusive",
  },
  {
    title: "too little in a short load, as about what jobs take in a span was given back",
    given: ledger(89, { cost: 117, meanwhile: brief(2, 30, 1, 32, 33) }),
    verdict: "inconclusive",
  },
  {
    title: "too little all along in a short load, at whose end held prices are given back",
    given: ledger(116, { cost: 122, meanwhile: brief(2, 30, 28, 32, 33) }),
    verdict: "broken",
  },
  {
    title: "too little, by more than the rest at first makes up",
    given: ledger(78, { meanwhile: resting(4, [3, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too little, and at rest for as long as jobs take to end",
    given: ledger(150, { meanwhile: resting(3, [...EVEN, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too little, and at rest for no longer than its view is cached",
    given: ledger(150, { meanwhile: resting(7, [24, 0, 0, 24, 0, 0, 0, 32, 0, 0, 24, 0, 24]) }),
    verdict: "broken",
  },
  {
    title: "too little, as charges are booked in batches, the last of which may come later",
    given: ledger(110, { meanwhile: batches([55, 55, 0]), restedMs: 13_000 }),
    verdict: "inconclusive",
  },
  {
    title: "too little, in batches that may be of so many jobs, of which the last is short of some",
    given: ledger(110, { meanwhile: batches([55, 55, 0]), restedMs: 14_000 }),
    verdict: "inconclusive",
  },
  {
    title: "too little, in batches, the last of which has come",
    given: ledger(110, {
      meanwhile: batches([55, 55, 0]),
      restedMs: 14_000,
      movedSince: ["credits.balance"],
    }),
    verdict: "broken",
  },
  {
    title: "too little, by more than a batch, the last of which would have come",
    given: ledger(106, { meanwhile: batches([53, 53, 0]), restedMs: 14_000 }),
    verdict: "broken",
  },
  {
    title: "too little, in one batch, which does not tell how far apart they are",
    given: ledger(110, { meanwhile: batches([110, 0]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, in three batches, as the next may come later",
    given: ledger(121, { meanwhile: batches([41, 39, 41, 0]), restedMs: 13_000 }),
    verdict: "inconclusive",
  },
  {
    title: "too much, in batches of which none stands out",
    given: ledger(190, { meanwhile: batches([31, 32, 33, 32, 30, 32]) }),
    verdict: "broken",
  },
  {
    title: "too much, as a fee was taken with one of many batches",
    given: ledger(190, { meanwhile: batches([27, 28, 55, 26, 27, 27]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, in batches of which enough came to tell how far apart they are",
    given: ledger(120, { meanwhile: batches([40, 40, 40, 0]) }),
    verdict: "broken",
  },
  {
    title: "too little, in parts that are no more than a few jobs cost",
    given: ledger(8, { cost: 10, jobs: 12, meanwhile: batches([4, 4, 0]) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid in while the load began, and jobs took most of it",
    given: ledger(150, { meanwhile: begun([2, 5, -6, ...EVEN, ...EVEN], 4) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, and nothing was paid in while the load began",
    given: ledger(150, { meanwhile: begun([2, 5, 6, ...EVEN, ...EVEN], 4) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid in before a load was steady, but charged as if so",
    given: ledger(157, { meanwhile: begun([2, 8.2, 1, ...EVEN, ...EVEN], 4) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, as some was paid in, by a view that is cached for a time of its own",
    given: ledger(150, { meanwhile: falling(cached(60)) }),
    verdict: "inconclusive",
  },
  {
    title: "too little all along, by a view that is cached for a time of its own",
    given: ledger(150, { meanwhile: falling(cached(0)) }),
    verdict: "broken",
  },
  {
    title: "too little all along",
    given: ledger(150, { meanwhile: falling(EVEN) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid in at once",
    given: ledger(150, { meanwhile: falling([...EVEN, -6, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, as some was paid in before a look that failed",
    given: ledger(150, { meanwhile: failing([...EVEN, -6, ...EVEN], [7]) }),
    verdict: "inconclusive",
  },
  {
    title: "too little all along, though looks failed",
    given: ledger(150, { meanwhile: failing([...EVEN, ...EVEN], [2, 6, 7, 11]) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid in when the load ended",
    given: ledger(50, { meanwhile: [...falling(EVEN), { amounts: PAID, isSteady: false }] }),
    verdict: "inconclusive",
  },
  {
    title: "too little, as some was paid in when the load ended, and jobs took most of it",
    given: ledger(150, { meanwhile: ended([...EVEN, ...EVEN, -7, 6, 2], 3) }),
    verdict: "inconclusive",
  },
  {
    title: "too little, and prices held for jobs given back from the end of the load on",
    given: ledger(150, { meanwhile: ended([...EVEN, ...EVEN, -7, -3, -1], 3) }),
    verdict: "broken",
  },
  {
    title: "a balance in tokens, of which some were paid in, and it looks like credits",
    given: ledger(200, { meanwhile: falling([...IN_TOKENS, -390, ...IN_TOKENS]) }),
    verdict: "inconclusive",
  },
  {
    title: "more paid in than the jobs took",
    given: ledger(-236, { meanwhile: falling([...EVEN, -392, ...EVEN]), perCost: IN_CREDITS }),
    verdict: "kept",
  },
  {
    title: "too much, as a fee was taken at once",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 58, ...EVEN]) }),
    verdict: "kept",
  },
  {
    title: "too much, as a fee was taken at once, and each job was charged 1 % more",
    given: ledger(215.59, { meanwhile: falling([...EVEN, 58, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "too much, as two fees were taken at once, and rounded",
    given: ledger(263.9, { meanwhile: falling([...EVEN, 58, ...EVEN, 57, ...EVEN]) }),
    verdict: "kept",
  },
  {
    title: "too much, as a fee was taken that is no round sum",
    given: ledger(211.33, { meanwhile: falling([...EVEN, 55, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "too much by a round sum, and less than half of it at once",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 28, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too much by a round sum, and most of it at once",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 43, ...EVEN]) }),
    verdict: "inconclusive",
  },
  {
    title: "a round fee, and jobs that do not tell their cost",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 58, ...EVEN]), unknownCosts: 2 }),
    verdict: "inconclusive",
  },
  {
    title: "a round sum paid in when the load ended, and held prices given back",
    given: ledger(113.95, { meanwhile: ended([...EVEN, ...EVEN, -53, -3, -1], 3) }),
    verdict: "kept",
  },
  {
    title: "too much, as a fee was taken in a load that was hardly steady",
    given: ledger(213.95, { meanwhile: unsteady([2, 8, 8.4, 58, 7.9, 3]) }),
    verdict: "kept",
  },
  {
    title: "too much all along in a load that was hardly steady",
    given: ledger(213.95, { meanwhile: unsteady([2, 8, 8.4, 8, 7.9, 3]) }),
    verdict: "broken",
  },
  {
    title: "too little, as some was paid into a load that was hardly steady",
    given: ledger(113.95, { meanwhile: unsteady([2, 8, 8.4, -42, 7.9, 3]) }),
    verdict: "kept",
  },
  {
    title: "too much, as a fee was taken when the load ended, and held prices were given back",
    given: ledger(263.95, { meanwhile: [...falling(EVEN), { amounts: TAKEN, isSteady: false }] }),
    verdict: "inconclusive",
  },
  {
    title: "too much all along, and a fee that is a small part of it",
    given: ledger(213.95, { meanwhile: falling([...EVEN, 18, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too much, by less at once than a few jobs cost",
    given: ledger(168, { meanwhile: falling([...EVEN, 12, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "each job charged 1.2 times, and nothing paid in",
    given: ledger(200, { meanwhile: falling([...EVEN, ...EVEN]) }),
    verdict: "broken",
  },
  {
    title: "too little, and prices held for timeouts given back at the end",
    given: ledger(150, { meanwhile: [...falling(EVEN), { amounts: RELEASED, isSteady: false }] }),
    verdict: "broken",
  },
  {
    title: "too little, as an earlier job's hold ended",
    given: held(150, 20),
    verdict: "inconclusive",
  },
  { title: "too little, by more than was held", given: held(150, 5), verdict: "broken" },
  { title: "too much, and an earlier job's hold ended", given: held(180, 20), verdict: "broken" },
  {
    title: "too much, and a payment",
    given: ledger(180, { meanwhile: falling([...EVEN, -6, ...EVEN]) }),
    verdict: "broken",
  },
];

describe("load.accounting with payments, fees and holds", () => testAccounting(CASES));
