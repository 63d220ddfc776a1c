/** Lists that get shorter though jobs come. Spec §4.5. */

import { describe, expect, it } from "vitest";
import { judgeListShrunk } from "../../../../../contract/judges/job/lists/list-shrunk.ts";
import { at, withJson } from "../../answers.ts";

const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `job_${from + index}`);
const list = (of: readonly string[], sentMs: number, key = "pro") => ({
  ...withJson(200, { jobs: of.map((job_uuid) => ({ job_uuid })) }, at(sentMs)),
  key,
});
/** A page, with another one after it. RFC 8288. */
const page = (of: readonly string[], sentMs: number) => ({
  ...list(of, sentMs),
  headers: { link: '</v1/jobs?cursor=x>; rel="next"' },
});
/** Jobs that came one after the other, 1 s apart, and ended within that. */
const own = Array.from({ length: 120 }, (_, n) => ({
  id: `job_${n}`,
  ...at(1_000 * n),
  settledAtMs: at(1_000 * n + 900).sentAtMs,
}));
/** Jobs of an earlier run. */
const OLD = Array.from({ length: 60 }, (_, n) => `old_${n}`);
const unended = own.map((job) => ({ ...job, settledAtMs: null }));
/** One more submission that was answered with the first job. */
const answeredAgain = [...own, { id: "job_99", ...at(1_000), settledAtMs: at(1_900).sentAtMs }];

describe("a list after a longer one of the same key", () => {
  it.each([
    [
      "with the newest job, without the oldest",
      [list(ids(0, 89), 90_000), list(ids(1, 89), 95_000)],
    ],
    ["that has fallen behind", [list(ids(0, 89), 90_000), list(ids(0, 60), 120_000)]],
    ["that has as many", [list(ids(0, 89), 90_000), list(ids(10, 99), 120_000)]],
    ["that lacks none", [list(ids(0, 89), 90_000), list(ids(0, 99), 120_000)]],
    ["that is another key's", [list(ids(0, 89), 90_000), list(ids(95, 99), 120_000, "free")]],
    ["of the last 90 s", [list(ids(0, 89), 90_000), list(ids(31, 99), 120_000)]],
    [
      "without what was cleared away",
      [list([...OLD, ...ids(0, 89)], 90_000), list(ids(0, 99), 120_000)],
    ],
    [
      "of another view, which lacks the latest but one",
      [list(ids(0, 98), 99_000), list([...ids(0, 95), "job_100"], 100_500)],
    ],
    ["that is a page", [list(ids(0, 89), 90_000), page(ids(80, 99), 120_000)]],
  ])("%s, is no wonder", (_name, lists) => {
    expect(judgeListShrunk(lists, own)).toEqual([]);
  });

  it("with a job that is new, and without one that was there, is not the latest jobs", () => {
    const lists = [list(ids(0, 89), 90_000), list(ids(60, 99), 120_000)];
    const [finding] = judgeListShrunk(lists, own);
    expect(finding).toMatchObject({ promise: "job.list-limit", verdict: "broken" });
    // Of jobs whose ends are not known, nobody knows how old they were.
    expect(judgeListShrunk(lists, unended)).toEqual([]);
    const [last] = judgeListShrunk([...lists, list(ids(70, 99), 120_500)], unended);
    expect(last?.verdict).toBe("broken");
  });

  it("with what looks new, but was issued before, may be behind", () => {
    const lists = [list(ids(0, 89), 90_000), list([...ids(60, 80), "job_99"], 120_000)];
    expect(judgeListShrunk(lists, answeredAgain)).toEqual([]);
  });
});
