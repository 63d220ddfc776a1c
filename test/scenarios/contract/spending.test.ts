/** The budget is a ceiling that no submission crosses. */

import { describe, expect, it } from "vitest";
import { spendingOf } from "../../../scenarios/contract/spending.ts";

const NONE = { jobs: null, credits: null, usd: null };

describe("spendingOf", () => {
  it("without a ceiling takes any number of jobs", () => {
    const spending = spendingOf(NONE);
    expect(Array.from({ length: 500 }, () => spending.take(1)).every(Boolean)).toBe(true);
    expect(spending.left()).toBe(Number.POSITIVE_INFINITY);
    expect(spending.exhausted()).toBe(false);
  });

  it("stops at the ceiling of jobs, and says so", () => {
    const spending = spendingOf({ ...NONE, jobs: 2 });
    expect([spending.take(0), spending.take(0), spending.take(0)]).toEqual([true, true, false]);
    expect(spending.exhausted()).toBe(true);
    expect(spending.spent().jobs).toBe(2);
  });

  it("counts prices before a job is sent", () => {
    const spending = spendingOf({ ...NONE, usd: 0.025 });
    expect([1, 2, 3].map(() => spending.take(0.01))).toEqual([true, true, false]);
  });

  it("stops before the dearest job seen would cross the ceiling in credits", () => {
    const spending = spendingOf({ ...NONE, credits: 5 });
    spending.take(0);
    spending.charge(3, null);
    expect(spending.take(0)).toBe(false);
  });

  it("counts jobs that a wrong body started", () => {
    const spending = spendingOf({ ...NONE, jobs: 1 });
    spending.surprise();
    expect(spending.take(0)).toBe(false);
  });
});
