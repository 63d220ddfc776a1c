/** Submissions that are refused amid others that are accepted. Spec §7. */

import { describe, expect, it } from "vitest";
import { neverNearItsEnd } from "../../../../contract/judges/load/accounting/compare.ts";
import type { RefusedAmid } from "../../../../contract/judges/load/refused-amid.ts";
import {
  addRefusedAmid,
  REFUSED_AMID,
  refusedThroughout,
} from "../../../../contract/judges/load/refused-amid.ts";
import { answer, at, T0 } from "../answers.ts";
import { BEFORE, ledger } from "./accounting/ledgers.ts";

/** Seconds after a stretch of ten began. */
function refusedAt(status: number, seconds: readonly number[], account = "one"): RefusedAmid {
  const all = REFUSED_AMID.empty();
  const fromMs = 10_000 - (T0 % 10_000);
  for (const each of seconds) {
    addRefusedAmid(all, account, answer(status, at(fromMs + 1_000 * each)));
  }
  return all;
}

const countIn = (all: RefusedAmid, rich: readonly string[] = []) =>
  refusedThroughout(all, (account) => rich.includes(account)).count;

describe("submissions that are refused amid others that are accepted", () => {
  it.each([
    ["a moment", [1, 2, 9], 0],
    ["two moments of 10 s", [4, 8, 13, 44, 52], 0],
    ["three moments", [1, 21, 41], 3],
    ["40 s, now and then", [1, 12, 23, 34, 45], 5],
  ] as const)("with 401, for %s", (_title, seconds, count) => {
    expect(countIn(refusedAt(401, seconds))).toBe(count);
    expect(countIn(refusedAt(404, seconds))).toBe(count);
    expect(countIn(refusedAt(409, seconds))).toBe(count);
  });

  it("are three moments of several accounts, or generators, together", () => {
    const shares = [refusedAt(401, [1]), refusedAt(401, [21], "two"), refusedAt(401, [41])];
    expect(countIn(shares.reduce(REFUSED_AMID.merge))).toBe(3);
  });

  it("are not of one status with those of another", () => {
    const shares = [refusedAt(401, [1, 21]), refusedAt(404, [41])];
    expect(countIn(shares.reduce(REFUSED_AMID.merge))).toBe(0);
  });

  it("with 402 count where the account could pay", () => {
    const seconds = [1, 21, 41];
    const both = REFUSED_AMID.merge(refusedAt(402, seconds), refusedAt(402, seconds, "two"));
    expect(countIn(both)).toBe(0);
    expect(countIn(both, ["two"])).toBe(3);
    expect(countIn(both, ["one", "two"])).toBe(6);
  });
});

describe("an account that could pay for any of its jobs", () => {
  const low = { amounts: { ...BEFORE, "credits.balance": 300 }, isSteady: true };
  it.each([
    ["fell by the costs, and was never near its end", ledger(163.95), true],
    ["fell by more", ledger(180), false],
    ["fell by less, as something was paid in", ledger(63.95), false],
    ["was near its end meanwhile", ledger(163.95, { meanwhile: [low] }), false],
    ["is used by others", ledger(163.95, { restless: ["credits.balance"] }), false],
    ["may yet be charged", ledger(163.95, { openJobs: 1 }), false],
    ["had jobs of unknown cost", ledger(163.95, { unknownCosts: 1 }), false],
    ["had free jobs", ledger(0, { cost: 0 }), false],
  ] as const)("%s: %s", (_title, account, expected) => {
    expect(neverNearItsEnd(account, "A")).toBe(expected);
  });
});
