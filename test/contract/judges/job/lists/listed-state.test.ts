/** A job that has ended is listed as ended, once no list lags behind any more. Spec §3.1, §4.5. */

import { describe, expect, it } from "vitest";
import type { JobHistory } from "../../../../../contract/jobs/job-history.ts";
import {
  judgeListedStates,
  listsAsOpen,
} from "../../../../../contract/judges/job/lists/listed-state.ts";
import { at, withJson } from "../../answers.ts";

const ENDED_MS = 1_000;

/** Seen running, and then ended. */
function history(id: string): JobHistory {
  const seen = (ms: number, status: string) =>
    withJson(200, { job_uuid: id, status, worker: "echo" }, { ...at(ms), route: "job" });
  return {
    submission: withJson(202, { job_uuid: id, status: "queued" }, { ...at(0), method: "POST" }),
    ...{ issuedId: id, workerId: "echo", cancelRequests: [], expected: "completed" },
    polls: [seen(500, "running"), seen(ENDED_MS, "completed")],
    ...{ gaveUpAtMs: null, deadlineMs: 60_000 },
  };
}

const list = (ms: number, status: string | null) =>
  withJson(
    200,
    {
      jobs: ["one", "two"].map((id) => ({ job_uuid: id, ...(status === null ? {} : { status }) })),
    },
    { ...at(ms), route: "jobs" },
  );

const JOBS = [history("one")];

const listOf = (ms: number, ...entries: readonly (readonly [id: string, status: string])[]) =>
  withJson(
    200,
    { jobs: entries.map(([job_uuid, status]) => ({ job_uuid, status })) },
    { ...at(ms), route: "jobs" },
  );

const TWO = ["one", "two"].map(history);

describe("a list with jobs that have ended", () => {
  it("may show each of them as it was accepted", () => {
    const lists = [listOf(2_000, ["one", "queued"]), list(40_000, "queued")];
    expect(judgeListedStates(TWO, lists)).toEqual([]);
  });

  it("may have an entry for each of a job's states", () => {
    const changes = listOf(40_000, ["two", "completed"], ["one", "completed"], ["one", "queued"]);
    expect(judgeListedStates(TWO, [changes])).toEqual([]);
  });

  it("is read again while it shows one as before and others as ended", () => {
    const ended = ["one", "two"].map((issuedId) => ({ issuedId, endSeenAtMs: ENDED_MS }));
    expect(listsAsOpen(listOf(2_000, ["one", "queued"], ["two", "completed"]), ended)).toBe(true);
    expect(listsAsOpen(list(2_000, "queued"), ended)).toBe(false);
    expect(listsAsOpen(listOf(2_000, ["one", "queued"], ["one", "completed"]), ended)).toBe(false);
  });
});

describe("a job that has ended", () => {
  it.each(["queued", "running", "STARTING"])("breaks job.forward-only, listed as %s", (status) => {
    const [finding] = judgeListedStates(JOBS, [list(2_000, "completed"), list(40_000, status)]);
    expect(finding).toMatchObject({ promise: "job.forward-only", verdict: "broken" });
    expect(finding?.summary).toContain("job one was completed, and listed as");
  });

  it.each([
    ["as ended", [list(40_000, "completed")]],
    ["as queued by a list that lags behind", [list(30_000, "queued")]],
    ["without a state", [list(40_000, null)]],
    ["in a state of the list's own", [list(40_000, "archived")]],
    ["by a list that was asked for before", [list(200, "queued")]],
  ])("may be listed %s", (_name, lists) => {
    expect(judgeListedStates(JOBS, lists)).toEqual([]);
  });

  it("says nothing of jobs whose end nobody saw", () => {
    const [one] = JOBS.map((each) => ({ ...each, polls: each.polls.slice(0, 1) }));
    expect(judgeListedStates(one === undefined ? [] : [one], [list(40_000, "queued")])).toEqual([]);
  });
});

/** Polled at those times, each in its state. */
function shown(id: string, states: readonly (readonly [ms: number, status: string])[]): JobHistory {
  const polls = states.map(([ms, status]) =>
    withJson(200, { job_uuid: id, status, worker: "echo" }, { ...at(ms), route: "job" }),
  );
  return { ...history(id), polls };
}

describe("a job that a list showed as ended", () => {
  const ended = listOf(2_000, ["one", "completed"], ["two", "completed"]);

  it("breaks job.forward-only where it shows itself as open when no view lags any more", () => {
    const jobs = [shown("one", [[40_000, "queued"]]), history("two")];
    const [finding] = judgeListedStates(jobs, [ended]);
    expect(finding).toMatchObject({ promise: "job.forward-only", verdict: "broken" });
    expect(finding?.summary).toContain("was listed as completed, and by itself queued 38 seconds");
  });

  it("may lag behind the list by itself", () => {
    const jobs = [shown("one", [[31_000, "queued"]]), history("two")];
    expect(judgeListedStates(jobs, [ended])).toEqual([]);
  });
});

describe("a job with another end in the list", () => {
  const others = ["two", "three", "four"];
  const jobs = [history("one"), ...others.map(history)];
  const listed = (status: string, ms = 2_000) =>
    listOf(ms, ["one", status], ...others.map((id) => [id, "completed"] as const));
  const cancel = withJson(202, {}, { ...at(700), method: "DELETE" });
  const withCancel = (states: Parameters<typeof shown>[1]) => [
    { ...shown("one", states), cancelRequests: [cancel] },
    ...jobs.slice(1),
  ];

  it("breaks job.terminal-final", () => {
    const [finding] = judgeListedStates(jobs, [listed("cancelled")]);
    expect(finding).toMatchObject({ promise: "job.terminal-final", verdict: "broken" });
    expect(finding?.summary).toContain("is cancelled in the list, and completed by itself");
  });

  it("breaks cancel.queued where it was seen cancelled as asked", () => {
    const cancelled = withCancel([[1_000, "cancelled"]]);
    const two = { ...shown("two", [[1_000, "cancelled"]]), cancelRequests: [cancel] };
    const three = { ...shown("three", [[1_000, "cancelled"]]), cancelRequests: [cancel] };
    const lists = [
      listOf(2_000, ["one", "completed"], ["two", "cancelled"], ["three", "cancelled"]),
    ];
    const [finding] = judgeListedStates([...cancelled.slice(0, 1), two, three], lists);
    expect(finding).toMatchObject({ promise: "cancel.queued", verdict: "broken" });
  });

  it("says nothing where the list tells fewer kinds of ends", () => {
    const all = ["one", ...others].map((id) => [id, "failed"] as const);
    expect(judgeListedStates(jobs, [listOf(2_000, ...all)])).toEqual([]);
  });

  it("may be what a cancel request changed, unless it showed its own before and after", () => {
    const once = withCancel([[1_000, "completed"]]);
    expect(judgeListedStates(once, [listed("cancelled")])).toEqual([]);
    const twice = withCancel([
      [1_000, "completed"],
      [3_000, "completed"],
    ]);
    const [finding] = judgeListedStates(twice, [listed("cancelled")]);
    expect(finding).toMatchObject({ promise: "job.terminal-final", verdict: "broken" });
  });
});
