/** A search says beforehand, and once it knows, that its time will not do. */

import { describe, expect, it } from "vitest";
import type { Attempt } from "../../capacity/search.ts";
import { newSearch } from "../../capacity/search-state.ts";
import { shortBudget, shortTime, tooShort } from "../../capacity/time-wanted.ts";
import { searchOptions } from "./options.ts";

const SEARCH = newSearch({ rate: 200, bound: "max-rate" });
const given = (minutes: number) =>
  searchOptions({ timeMs: minutes * 60_000, beyondPlan: false, keys: [] });

describe("the time of a search", () => {
  it("is said to be short before it starts, with what it would do for", () => {
    expect(shortTime(given(5), 60)).toBe(
      "5 min is enough for about 15.7 short jobs a second or more; for 5 a second --time 11m",
    );
    expect(shortTime(given(1), 60)).toMatch(/^1 min is too little, even with short jobs; for 5 a/);
    expect(shortTime(given(11), 60)).toBeNull();
  });

  it("is said to be short once the range is known, with what is to come", () => {
    const short = { phase: "search", throughput: null } as const;
    const attempts: Attempt[] = [
      { ...short, rate: 10, outcome: "pass" },
      { ...short, rate: 20, outcome: "fail" },
    ];
    const at = (minutes: number) => tooShort(given(minutes), { ...SEARCH, attempts }, 14, 20_000);
    expect(at(6)).toBeNull();
    expect(at(3)).toBe("about 10 more runs of 27 s would take it to 5 min 10 s: --time 6m");
    const made = [10, 10, 10, 10.5, 10.5].map((rate): Attempt => {
      return { phase: "confirm", throughput: null, rate, outcome: rate > 10 ? "fail" : "pass" };
    });
    const nearly = { ...SEARCH, attempts: [...attempts, ...made] };
    expect(tooShort(given(3), nearly, 10.5, 170_000)).toMatch(/^about 1 more run of 36 s would/);
  });
});

describe("the budget of a search", () => {
  const of = (jobs: number, usd: number | null = null) => {
    return { ...given(60), budget: { jobs, credits: null, usd } };
  };

  it("is said to be short before it starts, with what it would do for", () => {
    expect(shortBudget(of(250), 60)).toBe(
      "the budget of 250 jobs may be too small: " +
        "an edge near 5 a second takes about 3000, one near 60 about 6800",
    );
    expect(shortBudget(of(7_000), 60)).toBeNull();
    expect(shortBudget(given(5), 60)).toBeNull();
  });

  it("is said to be short once the range is known, by what jobs cost", () => {
    const short = { phase: "search", throughput: null } as const;
    const attempts: Attempt[] = [
      { ...short, rate: 10, outcome: "pass" },
      { ...short, rate: 20, outcome: "fail" },
    ];
    const search = { ...SEARCH, attempts, spent: { jobs: 100, credits: 0, usd: 2 } };
    expect(tooShort(of(3_000), search, 14, 20_000)).toBe(
      "about 10 more runs of 378 jobs would take it to 3880 jobs, 77.6 USD: raise the budget",
    );
    expect(tooShort(of(4_000), search, 14, 20_000)).toBeNull();
    expect(tooShort(of(4_000, 50), search, 14, 20_000)).toMatch(/^about 10 more runs of 378 jobs/);
  });
});
