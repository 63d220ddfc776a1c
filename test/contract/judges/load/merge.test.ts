/** A load that several generators shared is judged as if one had carried it, byte for byte. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QuietReading } from "../../../../contract/judges/load/accounting/readings.ts";
import { mergeAccounts } from "../../../../contract/judges/load/accounting/readings.ts";
import { lengthOf } from "../../../../contract/judges/load/series.ts";
import type { LoadSeen } from "../../../../contract/judges/load/tally.ts";
import { mergeLoads } from "../../../../contract/judges/load/tally.ts";
import {
  addViolation,
  faultsOf,
  noViolations,
} from "../../../../contract/judges/load/violations.ts";
import { judgeSoak } from "../../../../contract/judging/soak.ts";
import { broken } from "../../../../contract/verdict.ts";
import { answer } from "../answers.ts";
import type { SmallLoad } from "./shares.ts";
import { drawLoad, LOAD_PLAN, seenOf } from "./shares.ts";

const RUNS = { seed: 20_260_104, numRuns: 25 };

/** Short ones and one whose steps have widened; healthy ones and some in trouble. */
const LOADS = fc.record({
  seed: fc.nat(1_000_000),
  trouble: fc.constantFrom(0, 0.02, 0.3),
  seconds: fc.constantFrom(9, 30, 60, 400),
});

function sharesOf(load: SmallLoad, count: number, seed: number): LoadSeen[] {
  const place = (n: number) => Math.imul(n + seed, 2_654_435_761) >>> 16;
  return Array.from({ length: count }, (_, shard) => {
    const own = load.jobs.filter((_job, n) => place(n) % count === shard);
    return seenOf(load, own, 1 / count);
  });
}

function judgementOf(seen: LoadSeen): unknown {
  const reading = (readAtMs: number, credits: number): QuietReading => {
    const amounts = { "credits.balance": credits };
    const quiet = { before: amounts, after: amounts, seconds: 1 };
    return { amounts, readAtMs, exchanges: [], quiet };
  };
  const spent = (seen.tally.costs.one?.sumBillionths ?? 0) / 1e9;
  const [before, first, last] = [
    reading(1, 1_000),
    reading(2, 1_000 - spent),
    reading(3, 1_000 - spent),
  ];
  const accounts = { one: { before, first, last } };
  return judgeSoak(
    [
      { kind: "soak.load", value: seen },
      { kind: "soak.accounts", value: mergeAccounts(accounts, {}) },
    ],
    LOAD_PLAN,
  );
}

it("shares of an earlier version lack what was not counted then when they are merged, too", () => {
  const load = drawLoad(7, 0.3, 30);
  const shares = sharesOf(load, 3, 1).map((share) => {
    const { idleMoments: _, ...tally } = share.tally;
    return { ...share, tally } as LoadSeen;
  });
  const { tally } = shares.reduce(mergeLoads);
  expect(tally.idleMoments).toBeUndefined();
  expect(tally.scheduled).toBe(load.jobs.length);
});

it("balances are of before the first generator began, and of after all had ended", () => {
  const amounts = { "credits.balance": 1 };
  const quiet = { before: amounts, after: amounts, seconds: 1 };
  const at = (readAtMs: number): QuietReading => ({ amounts, readAtMs, exchanges: [], quiet });
  const long = { before: at(1), first: at(30), last: at(40), afterwards: [{ long: 1 }] };
  const short = { before: at(2), first: at(20), last: at(50), afterwards: [{ short: 1 }] };
  const seen = { before: at(1), first: at(30), last: at(50), afterwards: [{ long: 1 }] };
  expect(mergeAccounts({ one: long }, { one: short })).toMatchObject({ one: seen });
  expect(mergeAccounts({ one: short }, { one: long, two: short })).toMatchObject({
    one: seen,
    two: short,
  });
});

describe("what generators saw of one load", () => {
  it("is judged as what one generator saw of it, to the byte", () => {
    const verdicts = new Set<string>();
    fc.assert(
      fc.property(LOADS, fc.integer({ min: 2, max: 4 }), ({ seed, trouble, seconds }, count) => {
        const load = drawLoad(seed, trouble, seconds);
        const whole = judgementOf(seenOf(load, load.jobs, 1));
        const merged = judgementOf(sharesOf(load, count, seed).reduce(mergeLoads));
        expect(JSON.stringify(merged)).toBe(JSON.stringify(whole));
        for (const { promise, verdict } of (whole as ReturnType<typeof judgeSoak>).findings) {
          verdicts.add(`${promise} ${verdict}`);
        }
      }),
      RUNS,
    );
    expect([...verdicts]).toEqual(
      expect.arrayContaining([
        "load.no-losses kept",
        "load.no-losses broken",
        "load.throughput kept",
        "load.webhooks unobserved",
        "load.accounting kept",
        "rate.within-plan broken",
      ]),
    );
  });

  it("merges in any grouping and order, of loads that began at different times as well", () => {
    const three = fc.tuple(LOADS, LOADS, LOADS, fc.array(fc.nat(2_000_000), { minLength: 3 }));
    fc.assert(
      fc.property(three, ([x, y, z, offsets]) => {
        const [a, b, c] = [x, y, z].map(({ seed, trouble, seconds }, at) => {
          const load = drawLoad(seed, trouble, seconds);
          return movedBy(seenOf(load, load.jobs, 1), offsets[at] ?? 0);
        }) as [LoadSeen, LoadSeen, LoadSeen];
        const left = mergeLoads(mergeLoads(a, b), c);
        expect(left).toEqual(mergeLoads(a, mergeLoads(b, c)));
        expect(left).toEqual(mergeLoads(mergeLoads(c, a), b));
        expect(lengthOf(left.series)).toBeLessThanOrEqual(600);
      }),
      RUNS,
    );
  });
});

/** The same load, so many steps later. */
function movedBy(seen: LoadSeen, steps: number): LoadSeen {
  const { series } = seen;
  return { ...seen, series: { ...series, from: series.from + steps } };
}

describe("what a load keeps to be quoted", () => {
  it("takes little room, however long the answers were, and is quoted as they were", () => {
    const body = "x".repeat(1_000_000);
    const violations = noViolations();
    for (let n = 0; n < 60; n += 1) {
      addViolation(violations, { what: `no. ${n}`, exchanges: [answer(500, { body })] });
    }
    expect(JSON.stringify(violations).length).toBeLessThan(60_000);
    const [quote] = broken("load.errors", "", {
      exchanges: faultsOf(violations).flatMap((each) => each.exchanges ?? []),
    }).observations;
    const [whole] = broken("load.errors", "", { exchanges: [answer(500, { body })] }).observations;
    expect(quote).toEqual(whole);
  });
});
