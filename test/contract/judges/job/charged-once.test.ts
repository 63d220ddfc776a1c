/** What a balance shows of jobs that are charged twice, beside what only looks so. */

import { describe, expect, it } from "vitest";
import type { Amounts } from "../../../../contract/balance.ts";
import { judgeChargedOnce } from "../../../../contract/judges/job/charged-once.ts";
import type { BalanceInput } from "../../../../contract/judges/timeout/balance.ts";

/** Falls with a job that costs 2, with three that cost 1.5 together, and with none. */
interface Falls {
  job: number;
  wave: number;
  rest: number;
}

function seen(path: string, unit: "credits" | "usd", { job, wave, rest }: Falls): BalanceInput {
  const readings = [100, 100 - job, 100 - job - wave, 100 - job - wave - rest];
  const between = (at: number): { before: Amounts; after: Amounts } => ({
    before: { [path]: readings[at] ?? 0 },
    after: { [path]: readings[at + 1] ?? 0 },
  });
  const span = (at: number, knownCost: number) => {
    return { ...between(at), seconds: 30, timeouts: 0, knownCost, exchanges: [] };
  };
  return {
    calibration: { ...between(0), cost: 2, unit },
    waves: [span(1, 1.5)],
    quiet: [span(2, 0)],
  };
}

const TWICE: Falls = { job: 4, wave: 3, rest: 0 };

describe("the balance around jobs that are charged once", () => {
  it.each([
    ["credits", "credits.balance", "credits"],
    ["dollars", "credits.balance_usd", "usd"],
  ] as const)("shows that each was charged twice, in %s", (_, path, unit) => {
    const [finding, ...others] = judgeChargedOnce(seen(path, unit, TWICE));
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ promise: "job.run-once", verdict: "broken" });
    expect(finding?.summary).toContain(`${path} fell by 7 for jobs that cost 3.5`);
  });

  it.each([
    ["each was charged once", "credits.balance", "credits", { job: 2, wave: 1.5, rest: 0 }],
    [
      "one fell twice, the others once",
      "credits.balance",
      "credits",
      { job: 4, wave: 1.5, rest: 0 },
    ],
    ["it falls without a job", "credits.balance", "credits", { ...TWICE, rest: 0.5 }],
    ["a part is given back", "credits.balance", "credits", { ...TWICE, rest: -3.5 }],
    ["it is kept in another unit", "credits.balance", "usd", TWICE],
    ["it is kept in dollars, and costs are not", "credits.balance_usd", "credits", TWICE],
  ] as const)("says nothing where %s", (_, path, unit, falls) => {
    expect(judgeChargedOnce(seen(path, unit, falls))).toEqual([]);
  });

  it("says nothing before it was seen at rest", () => {
    const input = seen("credits.balance", "credits", TWICE);
    expect(judgeChargedOnce({ ...input, quiet: [] })).toEqual([]);
  });
});
