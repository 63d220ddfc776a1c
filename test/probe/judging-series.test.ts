/** Judges of canaries one after the other see what no single job shows. */

import { describe, expect, it } from "vitest";
import type { JobHistory } from "../../contract/jobs/job-history.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { JobSeries } from "../../probe/judging-series.ts";
import { BASE_TARGET } from "../gate/base-target.ts";
import { canary, open, until } from "./open-probe.ts";

function exchange(status: number, body: object, sentAtMs: number): Exchange {
  const about = { method: "GET", route: "job", path: "/v1/jobs/x", key: "pro" } as const;
  const times = { sentAtMs, receivedAtMs: sentAtMs + 5 };
  const rest = { requestBody: null, headers: {}, error: null };
  return { ...about, ...rest, ...times, status, body: JSON.stringify(body) };
}

const time = (ms: number) => new Date(ms).toISOString();

const BODIES = {
  A: (id: string, fromMs: number, ranMs: number, state: string) => ({
    job_uuid: id,
    status: state === "timeout" ? "timeout" : "completed",
    worker: "w",
    cost_credits: 0,
    duration_ms: ranMs,
    created_at: time(fromMs),
    completed_at: time(fromMs + ranMs),
    result: state === "timeout" ? null : {},
    error: null,
  }),
  B: (id: string, fromMs: number, ranMs: number, state: string) => ({
    job_id: id,
    worker_id: "w",
    status: state === "timeout" ? "TIMED_OUT" : "SUCCEEDED",
    timestamps: {
      submitted_at: time(fromMs),
      started_at: time(fromMs),
      finished_at: time(fromMs + ranMs),
      duration_ms: ranMs,
    },
    output: state === "timeout" ? null : { kind: "empty", data: null, items: [], meta: {} },
    files: [],
    cost: { total_usd: 0, run_usd: 0, infra_usd: 0, billing_mode: "per_run" },
    error: null,
  }),
};

/** No full second: times of those alone tell no milliseconds. */
let clockMs = 1_700_000_000_137;

/** A job that ran so long; each later than the one before. */
function history(variant: "A" | "B", id: string, ranMs = 500, state = "completed"): JobHistory {
  clockMs += 60_000;
  const submitted =
    variant === "A"
      ? { job_uuid: id, status: "queued", worker: "w", created_at: time(clockMs) }
      : { job_uuid: id, worker_id: "w", status: "QUEUED", submitted_at: time(clockMs) };
  const body = BODIES[variant](id, clockMs, ranMs, state);
  return {
    submission: exchange(202, submitted, clockMs),
    issuedId: id,
    workerId: "w",
    polls: [exchange(200, body, clockMs + ranMs + 10)],
    cancelRequests: [],
    expected: state === "timeout" ? "timeout" : "completed",
    gaveUpAtMs: null,
    deadlineMs: 60_000,
  };
}

/** A poll of the last job, of variant B, before its end; it started so long after it came. */
function openPoll(
  id: string,
  status: string,
  afterMs: number,
  startedMs: number | null = 0,
): Exchange {
  const times = {
    submitted_at: time(clockMs),
    ...(startedMs === null ? {} : { started_at: time(clockMs + startedMs) }),
  };
  const body = { job_id: id, worker_id: "w", status, timestamps: times };
  return exchange(200, body, clockMs + afterMs);
}

/** A job that polls have seen starting up, with its stated start or without, and running. */
function startingUp(isStamped: boolean): JobHistory {
  const ended = history("B", "1", 9_000);
  const starting = openPoll("1", "STARTING", 1_000, isStamped ? 0 : null);
  const running = openPoll("1", "RUNNING", 6_000, isStamped ? 0 : 5_000);
  return { ...ended, polls: [starting, running] };
}

/** A job that a poll has met soon after its stated start, running. */
function watched(id: string, ranMs: number, state: string, timeScale = 1): JobHistory {
  const ended = history("B", id, ranMs, state);
  const running = openPoll(id, "RUNNING", 1_000 * timeScale);
  return { ...ended, polls: [running, ...ended.polls] };
}

/** What is said of each of the jobs in turn. */
function saidOf(...histories: JobHistory[]): string[][] {
  const series = new JobSeries();
  return histories.map((each) => series.violations(each).map(({ promise }) => promise));
}

describe("jobs one after the other", () => {
  it("are all right when each is", () => {
    expect(saidOf(history("A", "1"), history("A", "2"))).toEqual([[], []]);
    expect(saidOf(history("B", "1"), history("B", "2"))).toEqual([[], []]);
  });

  it("an identifier that was issued before breaks submit.unique-id", () => {
    const said = saidOf(history("B", "1"), history("B", "2"), history("B", "1"));
    expect(said[2]).toContain("submit.unique-id");
  });

  it("also when that was in an earlier process", () => {
    const series = new JobSeries();
    series.remember("1");
    const said = series.violations(history("B", "1")).map(({ promise }) => promise);
    expect(said).toEqual(["submit.unique-id"]);
  });

  it("a mark that came back from the worker's last job and not from these is told of each", () => {
    const marked = (id: string, isBack: boolean): JobHistory => {
      const mark = `plumbline-${id.repeat(8)}-1111-4111-8111-111111111111`;
      const job = history("A", id);
      const requestBody = JSON.stringify({ text: mark });
      const body = (text: string) => text.replace('"result":{}', `"result":{"text":"${mark}"}`);
      const polls = job.polls.map((poll) => (isBack ? { ...poll, body: body(poll.body) } : poll));
      return { ...job, submission: { ...job.submission, requestBody }, polls };
    };
    const never = [marked("1", false), marked("2", false)];
    const once = [marked("3", true), marked("4", false), marked("5", false), marked("6", true)];
    expect(saidOf(...never)).toEqual([[], []]);
    expect(saidOf(...once)).toEqual([[], ["job.own-result"], ["job.own-result"], []]);
  });

  it("a change of the variant breaks job.shape once", () => {
    const [first, change, after] = saidOf(history("A", "1"), history("B", "2"), history("B", "3"));
    expect(first).toEqual([]);
    expect(change).toContain("job.shape");
    expect(after).toEqual([]);
  });
});

describe("the limit on runs", () => {
  const limit = { limitSeconds: 20, isBeyond: true, lagMs: 0 };
  const target = BASE_TARGET;

  it.each([
    ["that ends at it", 20_100, "timeout", []],
    ["that ends a little late", 21_500, "timeout", []],
    ["that ends early", 18_000, "timeout", ["timeout.not-early"]],
    ["that ends late", 24_000, "timeout", ["timeout.not-late"]],
    ["that completes beyond it", 30_000, "completed", ["timeout.fires"]],
  ])("a job %s breaks what it does", (_what, ranMs, state, promises) => {
    const job = watched("1", ranMs, state);
    const said = new JobSeries().limitViolations(job, limit, target);
    expect(said.map(({ promise }) => promise)).toEqual(promises);
  });

  it.each([
    ["at its start-up: it may be no more than that", true, []],
    ["at its run", false, ["timeout.not-late"]],
  ] as const)("a job that ends late by times that begin %s", (_, isStamped, promises) => {
    const series = new JobSeries();
    series.violations(startingUp(isStamped));
    const said = series.limitViolations(history("B", "2", 24_000, "timeout"), limit, target);
    expect(said.map(({ promise }) => promise)).toEqual(promises);
  });

  it("a job that ends late may have started up for as long as no poll shows it run", () => {
    const series = new JobSeries();
    const said = series.limitViolations(history("B", "1", 24_000, "timeout"), limit, target);
    expect(said).toEqual([]);
    expect(series.isStartOpen("w")).toBe(true);
  });

  it.each([
    ["before any run of the worker", [], true],
    ["not after one that met its limit", [20_100], false],
    ["after one that may have been late", [20_100, 24_000], true],
  ] as const)("it matters how long a run starts up %s", (_, runs, isOpen) => {
    const series = new JobSeries();
    for (const [index, ranMs] of runs.entries()) {
      series.limitViolations(history("B", `${index}`, ranMs, "timeout"), limit, target);
    }
    expect(series.isStartOpen("w")).toBe(isOpen);
  });

  it.each([
    ["24 s is late", 24_000, 0, ["timeout.not-late"]],
    ["not where this machine stood still for 3 s", 24_000, 3_000, []],
    ["but by more than that explains it is", 33_000, 3_000, ["timeout.not-late"]],
    ["19 s is early, however fast the service's clock", 19_000, 300, ["timeout.not-early"]],
    ["not where this machine was late by as much", 19_000, 1_000, []],
  ])("%s, on any clock", (_, ranMs, lagMs, promises) => {
    for (const timeScale of [1, 0.1]) {
      const job = watched("1", ranMs * timeScale, "timeout", timeScale);
      const lagged = { ...limit, lagMs: lagMs * timeScale };
      const said = new JobSeries().limitViolations(job, lagged, { ...target, timeScale });
      expect(said.map(({ promise }) => promise)).toEqual(promises);
    }
  });
});

describe("against the embedded service", () => {
  it.each([
    ["timeout.fires/runs-on", "timeout"],
    ["timeout.free/1-percent", "timeout"],
    ["job.terminal-final/result-changes", "success"],
  ] as const)("%s is seen", async (fault, part) => {
    // The poll after an end comes the later, the longer the deadline is.
    const canaries = [canary(part, { deadlineMs: 5_000 })];
    const { probe, service, sample } = await open({ canaries });
    service.faults.enable(fault);
    const promise = fault.split("/")[0] ?? "";
    const violations = () => sample(new RegExp(`violations_total.*promise="${promise}"`));
    // On a busy machine the probe's own lag leaves a job in doubt: another one tells.
    await until(async () => {
      await probe.once();
      return (await violations()) > 0;
    });
  });
});
