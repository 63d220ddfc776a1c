/** What lists of jobs show of the probe's own. */

import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { OwnJobs } from "../../../probe/operation/own-jobs.ts";

const MINUTE_MS = 60_000;
const FACTS = { runId: "r", canary: "main", workerId: "w" };

function exchange(method: string, body: unknown, sentAtMs: number): Exchange {
  const path = "/v1/jobs";
  const about = { method, route: "jobs", path, key: "pro", requestBody: null } as const;
  const times = { sentAtMs, receivedAtMs: sentAtMs + 10 };
  return { ...about, ...times, status: 200, headers: {}, error: null, body: JSON.stringify(body) };
}

/** One job a minute, each of which ends after two seconds. */
function jobs(count: number): OwnJobs {
  const own = new OwnJobs();
  for (let at = 0; at < count; at += 1) {
    own.accepted({ ...FACTS, jobId: `job_${at}` }, exchange("POST", {}, at * MINUTE_MS));
    own.ended(`job_${at}`, at * MINUTE_MS + 2_000);
  }
  return own;
}

const listOf = (numbers: readonly number[], atMs: number) => {
  const entries = numbers.map((at) => ({ job_uuid: `job_${at}`, status: "completed" }));
  return exchange("GET", { jobs: entries }, atMs);
};

const brokenBy = (own: OwnJobs, list: Exchange) => {
  return own.violations(list).list.map(({ promise }) => promise);
};

describe("a list without one of the jobs", () => {
  const ASKED_MS = 3.5 * MINUTE_MS;

  it("is an index that is behind, once", () => {
    expect(brokenBy(jobs(4), listOf([0, 2, 3], ASKED_MS))).toEqual([]);
  });

  it("breaks job.list-own when that comes again within ten minutes", () => {
    const own = jobs(4);
    brokenBy(own, listOf([0, 2, 3], ASKED_MS));
    expect(brokenBy(own, listOf([0, 2, 3], ASKED_MS + MINUTE_MS))).toEqual(["job.list-own"]);
    expect(brokenBy(own, listOf([0, 2, 3], ASKED_MS + 12 * MINUTE_MS))).toEqual([]);
  });

  it("says nothing of a job of which nobody knows whether it is lost", () => {
    const own = jobs(4);
    own.leave("job_1");
    brokenBy(own, listOf([0, 2, 3], ASKED_MS));
    expect(brokenBy(own, listOf([0, 2, 3], ASKED_MS + MINUTE_MS))).toEqual([]);
  });

  it("says nothing of jobs of before a gap", () => {
    const own = jobs(4);
    own.forget();
    brokenBy(own, listOf([0], ASKED_MS));
    expect(brokenBy(own, listOf([0], ASKED_MS + MINUTE_MS))).toEqual([]);
  });
});

it("a list of 101 jobs breaks job.list-limit", () => {
  const numbers = Array.from({ length: 101 }, (_, at) => at);
  const own = new OwnJobs();
  expect(brokenBy(own, listOf(numbers.slice(1), 0))).toEqual([]);
  expect(brokenBy(own, listOf(numbers, 0))).toEqual(["job.list-limit"]);
});

describe("a list with a job of somebody else's", () => {
  const shows = (own: OwnJobs, numbers: readonly number[], minute: number) => {
    return own.violations(listOf(numbers, minute * MINUTE_MS)).showsOthers;
  };

  it("shows others when it is there again, and once for each job", () => {
    const own = jobs(2);
    expect([
      shows(own, [0, 1], 2),
      shows(own, [0, 1, 7], 3),
      shows(own, [0, 1, 7], 4),
      shows(own, [0, 1, 7, 8], 5),
      shows(own, [0, 1, 7, 8], 6),
    ]).toEqual([false, false, true, false, true]);
  });

  it("may be one of before, or one whose acceptance is on its way", () => {
    const own = jobs(2);
    expect([shows(own, [0, 1, 7], 2), shows(own, [0, 1, 7], 3)]).toEqual([false, false]);
    expect(shows(own, [0, 1, 7, 8], 4)).toBe(false);
    own.accepted({ ...FACTS, jobId: "job_8" }, exchange("POST", {}, 4 * MINUTE_MS));
    expect(shows(own, [0, 1, 7, 8], 5)).toBe(false);
  });
});
