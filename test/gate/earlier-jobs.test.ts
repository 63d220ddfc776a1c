/** The job that a run tries its receiver with costs the account of its key, and no other. */

import { expect, it } from "vitest";
import type { EarlierJobs } from "../../contract/jobs/earlier-jobs.ts";
import { earlierOn, unendedOf } from "../../contract/judges/load/accounting/earlier.ts";
import { JobsSoFar } from "../../gate/earlier-jobs.ts";
import { BASE_PLAN } from "../runner/base-plan.ts";
import { key } from "./base-target.ts";

const ONE_JOB = { jobs: 1, credits: 0.05, usd: 0 };
const KEYS = [key("free-a", { account: "one" }), key("big", { account: "four" })];

function earlierJobsOn(account: string, { name }: { name: string }) {
  const [tried = null] = KEYS.filter((each) => each.name === name);
  const submittedBefore = new JobsSoFar(ONE_JOB, tried).all();
  const found = earlierOn(account, { ...BASE_PLAN, keys: KEYS, submittedBefore });
  return found.reduce((sum, { charges }) => sum + (charges?.unknown ?? 0), 0);
}

it("is charged late to its own account at the most", () => {
  expect(earlierJobsOn("one", { name: "free-a" })).toBe(1);
  expect(earlierJobsOn("four", { name: "free-a" })).toBe(0);
});

it("may be charged to any account where its key is not known", () => {
  expect(earlierJobsOn("four", { name: "another" })).toBe(1);
});

it("is not charged any more after a minute, unless nobody saw it end", () => {
  const ended = { jobs: 3, credits: 9, usd: 0 };
  const of = (charges: EarlierJobs["charges"]) => {
    return unendedOf([
      { account: "one", key: "free-a", opened: { "credits.balance": 50 }, charges },
    ]);
  };
  const alike = { account: "one", key: "free-a", opened: {} };
  expect(of({ ...ended, unknown: 0 })).toEqual([]);
  const unknown = { jobs: 0, credits: 0, usd: 0, unknown: 2 };
  expect(of({ ...ended, unknown: 2 })).toEqual([{ ...alike, charges: unknown }]);
  expect(of(null)).toEqual([{ ...alike, charges: null }]);
});
