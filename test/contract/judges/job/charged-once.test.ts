/** What balances show of jobs that are charged twice, beside what only looks so. */

import { describe, expect, it } from "vitest";
import type { Amounts } from "../../../../contract/balance/read.ts";
import type { BalanceInput } from "../../../../contract/balance/spans.ts";
import { judgeChargedOnce } from "../../../../contract/judges/job/charged-once.ts";

/** Of an amount: with a job that costs 2, with three that cost 1.5 together, and with none. */
interface Falls {
  job: number;
  wave: number;
  rest: number;
}

/** By path. */
type Balances = Readonly<Record<string, Falls>>;

function amountsAt(balances: Balances, at: number): Amounts {
  const entries = Object.entries(balances).map(([path, { job, wave, rest }]) => {
    const falls = [job, wave, rest].slice(0, at);
    return [path, falls.reduce((left, fall) => left - fall, 100)] as const;
  });
  return Object.fromEntries(entries);
}

function seen(balances: Balances, unit: "credits" | "usd"): BalanceInput {
  const between = (at: number) => {
    return { before: amountsAt(balances, at), after: amountsAt(balances, at + 1) };
  };
  const span = (at: number, knownCost: number) => {
    return { ...between(at), seconds: 30, timeouts: 0, knownCost, exchanges: [] };
  };
  return {
    calibration: { ...between(0), cost: 2, unit },
    waves: [span(1, 1.5)],
    quiet: [span(2, 0)],
  };
}

const HELD_MS = 30_000;
const TWICE: Falls = { job: 4, wave: 3, rest: 0 };
const ONCE: Falls = { job: 2, wave: 1.5, rest: 0 };
const BALANCE = "credits.balance";

describe("balances around jobs that are charged once", () => {
  it.each([
    ["credits", BALANCE, "credits"],
    ["dollars", "credits.balance_usd", "usd"],
  ] as const)("show that each was charged twice, in %s", (_, path, unit) => {
    const [finding, ...others] = judgeChargedOnce(seen({ [path]: TWICE }, unit), HELD_MS);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ promise: "job.run-once", verdict: "broken" });
    expect(finding?.summary).toContain(`${path} fell by 7 for jobs that cost 3.5`);
  });

  it.each(["credits.endpoint_balance", "credits.recentBalance", "credits.neural.balance"])(
    "show it in %s as well, which has but the letters of another unit",
    (path) => {
      expect(judgeChargedOnce(seen({ [path]: TWICE }, "credits"), HELD_MS)).toHaveLength(1);
    },
  );

  it.each([
    "balance_cents",
    "balanceEUR",
    "EURBalance",
    "usdcents",
    "microcredits",
    "percent_left",
  ])("say nothing where one is kept in another unit: %s", (name) => {
    expect(judgeChargedOnce(seen({ [`credits.${name}`]: TWICE }, "credits"), HELD_MS)).toEqual([]);
  });

  it.each([
    ["each was charged once", { [BALANCE]: ONCE }],
    ["one fell twice, the others once", { [BALANCE]: { ...TWICE, wave: 1.5 } }],
    ["it falls without a job", { [BALANCE]: { ...TWICE, rest: 0.5 } }],
    ["a part is given back", { [BALANCE]: { ...TWICE, rest: -3.5 } }],
    ["another fell by what the jobs cost", { [BALANCE]: ONCE, "credits.available": TWICE }],
    ["it is kept in dollars, and costs are not", { "credits.balance_usd": TWICE }],
  ])("say nothing where %s", (_, balances) => {
    expect(judgeChargedOnce(seen(balances, "credits"), HELD_MS)).toEqual([]);
  });

  it("say nothing before they rested for as long as prices are held", () => {
    const input = seen({ [BALANCE]: TWICE }, "credits");
    expect(judgeChargedOnce(input, HELD_MS + 1)).toEqual([]);
    expect(judgeChargedOnce({ ...input, quiet: [] }, 0)).toEqual([]);
  });

  it("say nothing where they fell with jobs that cost nothing", () => {
    const input = seen({ [BALANCE]: TWICE }, "credits");
    const unpaid = input.waves.map((wave) => ({ ...wave, timeouts: 6, knownCost: 0 }));
    expect(judgeChargedOnce({ ...input, waves: [...input.waves, ...unpaid] }, HELD_MS)).toEqual([]);
  });
});
