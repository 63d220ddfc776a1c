/** The list of recent jobs: at most 100, the latest. Spec §4.5. */

import { describe, expect, it } from "vitest";
import { listLimitClaim } from "../../../../../contract/judges/job/lists/list-limit.ts";
import { decide } from "../../../../../contract/judging/decide.ts";
import { answer, at, withJson } from "../../answers.ts";

const id = (n: number) => `job_${n}`;
const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => id(from + index));
const list = (of: readonly string[], sentMs = 100_000) =>
  withJson(200, { jobs: of.map((job_uuid) => ({ job_uuid })) }, at(sentMs));
/** Of one job also what it was before, as its runs may be entries of their own. */
const alsoAsItWas = (of: readonly string[], again: string) => {
  const jobs = [...of.map((job_uuid) => ({ job_uuid })), { job_uuid: again, status: "queued" }];
  return withJson(200, { jobs }, at(100_000));
};
/** A first page, which says so in a header alone. RFC 8288. */
const linked = (of: readonly string[]) => ({
  ...list(of),
  headers: { link: '</v1/jobs?cursor=x>; rel="next"' },
});
/** Jobs accepted one after the other, 10 ms apart, and seen to end some time after that. */
const own = (count: number, settledMs: number | null = 1) =>
  Array.from({ length: count }, (_, n) => {
    const settledAtMs = settledMs === null ? null : at(10 * n).receivedAtMs + settledMs;
    return { id: id(n), ...at(10 * n), settledAtMs };
  });

describe("job.list-limit", () => {
  it.each([
    ["the latest 100 of 108", list(ids(8, 107)), own(108), "kept"],
    ["the latest 90 of 108", list(ids(18, 107)), own(108), "kept"],
    ["101 jobs", list(ids(7, 107)), own(108), "broken"],
    ["the oldest 100", list(ids(0, 99)), own(108), "broken"],
    ["one of 99 twice", list([...ids(9, 107), id(50)]), own(108), "broken"],
    ["one of few twice", list([...ids(0, 48), id(3)]), own(50), "broken"],
    ["one of 99 twice, once as it was", alsoAsItWas(ids(9, 107), id(50)), own(108), "kept"],
    ["one that 100 newer ones displace", list(ids(7, 106)), own(108), "broken"],
    ["a full list of jobs from before", list(ids(1000, 1099)), own(4), "kept"],
    ["fewer than 100 in all", list(ids(0, 49)), own(50), "unobserved"],
    ["none at all", list([]), own(50), "broken"],
    ["none later than the 90th of 108", list(ids(0, 90)), own(108), "broken"],
    ["all but one in between", list([...ids(0, 20), ...ids(22, 49)]), own(50), "broken"],
    ["all but one of 5 s ago", list(ids(0, 48), 5_490), own(50), "unobserved"],
    ["the latest 20", list(ids(30, 49)), own(50), "unobserved"],
    ["a page that a header follows up", linked(ids(0, 19)), own(50), "unobserved"],
    ["a body without a list", withJson(200, { message: "none" }), own(108), "inconclusive"],
    [
      "a body that was cut",
      answer(200, { ...at(100_000), body: '{"jobs":[{"job' }),
      own(108),
      "broken",
    ],
    ["500", answer(500), own(108), "inconclusive"],
  ])("%s: %#", (_name, exchange, known, verdict) => {
    expect(decide(listLimitClaim({ list: exchange }, known, "")).verdict).toBe(verdict);
  });

  it.each([
    ["29.7 s, and another endpoint was answered", 29_700, 200, "broken"],
    ["29.7 s, as another endpoint was", 29_700, 500, "inconclusive"],
    ["5 s", 5_000, 200, "inconclusive"],
  ])("a list that was refused each time for %s: %#", (_name, forMs, elsewhere, verdict) => {
    const last = answer(500, at(100_000));
    const refusals = {
      first: answer(500, at(100_000 - forMs)),
      times: 100,
      meanwhile: answer(elsewhere, at(100_020)),
    };
    expect(decide(listLimitClaim({ list: last, refusals }, own(108), "")).verdict).toBe(verdict);
  });

  it("jobs accepted while the list was asked for displace nothing", () => {
    const during = list(ids(0, 99), 990);
    expect(decide(listLimitClaim({ list: during }, own(108), "")).verdict).toBe("unobserved");
  });

  it.each([
    ["ended after the newer ones came", list(ids(0, 99)), own(108, 1_080), "unobserved"],
    ["may not have ended", list(ids(0, 99)), own(108, null), "inconclusive"],
  ])("a job that %s may be among the latest, by end", (_name, listed, known, verdict) => {
    expect(decide(listLimitClaim({ list: listed }, known, "")).verdict).toBe(verdict);
  });
});
