/** Limits on a service whose jobs start up: counted, and stamped, from either of two moments. */

import { describe, expect, it } from "vitest";
import { boundsOf } from "../../../../contract/judges/timeout/bounds.ts";
import { judgeTimeouts, limitTrial } from "../../../../contract/judges/timeout/index.ts";
import { NO_LAG } from "../../../../contract/judges/timeout/limited-job.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { findingOf } from "../../findings.ts";
import { at, T0, withJson } from "../answers.ts";
import type { ObservedJob } from "./observed-job.ts";
import { observed } from "./observed-job.ts";

/** Ends at 10 s, not before 9.75 s and not after 12 s. */
const BOUNDS = boundsOf(10, BASE_PLAN.times);

function found(promise: string, job: ObservedJob, lag = NO_LAG) {
  return foundOf(promise, [job, job, job, job], lag);
}

function foundOf(promise: string, jobs: readonly ObservedJob[], lag = NO_LAG) {
  const beyond = jobs.map((job, at) => ({ ...observed(job, at + 1), lag }));
  const given = { bounds: BOUNDS, beyond, below: [], balance: null, without: "none" };
  return findingOf(judgeTimeouts(limitTrial(given)), promise);
}

const verdict = (promise: string, job: ObservedJob) => found(promise, job).verdict;

/** A start-up of 3 s; the limit counts from STARTING or from RUNNING on. */
const COUNTED_FROM = { starting: 7_000, running: 10_000 } as const;

const LAWFUL = [
  ["running", "running", "kept", "kept"],
  ["starting", "starting", "kept", "kept"],
  ["starting", "running", "inconclusive", "kept"],
  ["running", "starting", "kept", "inconclusive"],
] as const;

describe("a limit that counts from one moment, and a stated start at another", () => {
  it.each(LAWFUL)(
    "counted from %s, stamped at %s: not-early is %s, not-late %s",
    (counted, stamped, early, late) => {
      for (const shape of [{}, { isSecretive: true }, { pollEveryMs: 900 }]) {
        const job = { startUpMs: 3_000, stamped, ranMs: COUNTED_FROM[counted], ...shape };
        expect(verdict("timeout.not-early", job)).toBe(early);
        expect(verdict("timeout.not-late", job)).toBe(late);
      }
    },
  );
});

it("a duration that may leave out the start-up is told as one in doubt", () => {
  const { history } = observed({ startUpMs: 0, stamped: "running", ranMs: 10_000 });
  const job = { job_uuid: "job-1", worker: "nap", created_at: new Date(T0).toISOString() };
  const ended = {
    status: "timeout",
    cost_credits: 0,
    duration_ms: 8_500,
    result: null,
    error: null,
  };
  const completed_at = new Date(T0 + 10_150).toISOString();
  const bodyAt = (ms: number) => {
    if (ms >= T0 + 10_150) return { ...job, ...ended, completed_at };
    return { ...job, status: ms < T0 + 1_500 ? "queued" : "running" };
  };
  const polls = history.polls.map((poll) =>
    withJson(200, bodyAt(poll.sentAtMs), at(poll.sentAtMs - T0)),
  );
  const submission = withJson(202, { ...job, status: "queued" }, at(0));
  const beyond = [{ history: { ...history, submission, polls }, lag: NO_LAG }];
  const given = { bounds: BOUNDS, beyond, below: [], balance: null, without: "none" };
  const said = findingOf(judgeTimeouts(limitTrial(given)), "timeout.not-early");
  const doubt = expect.stringMatching(/^a job .* 8.5 s as it says, which may .*, and at most 10/);
  expect([said.verdict, said.summary]).toEqual(["inconclusive", doubt]);
});

it("a run of which only polls tell, too far apart, is said to lie between what they tell", () => {
  const job = { startUpMs: 0, stamped: "running", ranMs: 9_800, pollEveryMs: 2_600 } as const;
  const { history, lag } = observed(job);
  const polls = history.polls.map((poll) => {
    const { timestamps: _, ...body } = JSON.parse(poll.body);
    return { ...poll, body: JSON.stringify(body) };
  });
  const beyond = [{ history: { ...history, polls }, lag }];
  const given = { bounds: BOUNDS, beyond, below: [], balance: null, without: "none" };
  const said = findingOf(judgeTimeouts(limitTrial(given)), "timeout.not-early");
  const between = /^a job timed out after running between \d\S* s and \d\S* s; .*: its polls tell/;
  expect([said.verdict, said.summary]).toEqual(["inconclusive", expect.stringMatching(between)]);
});

it("a run of 10 s that times in whole seconds tell as 9 s is told as what they tell", () => {
  const job = { startUpMs: 0, stamped: "running", ranMs: 9_790 } as const;
  const { history, lag } = observed(job);
  const inSeconds = (body: string) =>
    body.replace(/\.\d{3}Z/g, ".000Z").replace(/"duration_ms":\d+/g, '"duration_ms":9000');
  const polls = history.polls.map((poll) => ({ ...poll, body: inSeconds(poll.body) }));
  const beyond = [{ history: { ...history, polls }, lag }];
  const given = { bounds: BOUNDS, beyond, below: [], balance: null, without: "none" };
  const said = findingOf(judgeTimeouts(limitTrial(given)), "timeout.not-early");
  const told = "1 job ran for 9 s or more by times that are rounded; promised 10 s";
  expect([said.verdict, said.summary]).toEqual(["kept", told]);
});

it("a start that is told with the run, and lies before it, leaves open what counts", () => {
  const job = { startUpMs: 3_000, stamped: "starting", ranMs: 10_000 } as const;
  const toldWithRun = { ...job, isToldWithRun: true };
  expect(verdict("timeout.not-late", toldWithRun)).toBe("inconclusive");
  expect(verdict("timeout.not-late", { ...toldWithRun, ranMs: 12_500 })).toBe("broken");
});

it.each([
  ["timeout.not-late", "the end 4.5 s late", { viewLagMs: 4_500 }, "inconclusive"],
  ["timeout.not-late", "the end 7.5 s late", { viewLagMs: 7_500 }, "broken"],
  ["timeout.not-early", "the run 4.5 s late", { waitingShownUntilMs: 4_700 }, "inconclusive"],
  ["timeout.not-early", "the run 7.5 s late", { waitingShownUntilMs: 7_700 }, "broken"],
] as const)("%s: a view that shows %s, against what is told", (promise, _, shown, verdictThen) => {
  const job = { startUpMs: 0, stamped: "running", ranMs: 10_000, ...shown } as const;
  expect(verdict(promise, job)).toBe(verdictThen);
});

describe("a job that failed just before its limit", () => {
  const timedOut = { stamped: "running", startUpMs: 0, ranMs: 9_900 } as const;
  const failed = { ...timedOut, end: "failed" } as const;
  it.each([
    ["had reached it, as others timed out then", [timedOut, timedOut, timedOut, failed], "broken"],
    [
      "may have failed by itself, as others ran for longer",
      [timedOut, timedOut, timedOut, { ...failed, ranMs: 9_800 }],
      "inconclusive",
    ],
    ["may have failed by itself, as too few timed out", [timedOut, failed], "inconclusive"],
    [
      "may have started up for longer, as others differ in that",
      [
        ...[500, 1_000, 1_500].map((startUpMs) => {
          return { stamped: "starting", startUpMs, ranMs: 10_000 } as const;
        }),
        { stamped: "starting", startUpMs: 3_900, ranMs: 7_500, end: "failed" },
      ],
      "inconclusive",
    ],
  ] as const)("%s", (_, jobs, verdict) => {
    expect(foundOf("timeout.fires", jobs).verdict).toBe(verdict);
  });
});

describe("one start-up that took long, among others that did not", () => {
  const WARM = { stamped: "starting", startUpMs: 100, ranMs: 10_900 } as const;
  const COLD = { ...WARM, startUpMs: 2_000 };

  it.each([
    ["the end is shown at once", COLD, "kept"],
    ["the end is shown late", { ...COLD, viewLagMs: 1_500 }, "kept"],
    ["the run alone is too long", { ...COLD, ranMs: 12_200 }, "broken"],
    ["a view hid the start-up", { ...COLD, waitingShownUntilMs: 2_300 }, "inconclusive"],
    [
      "a view hid it, and the run alone is too long",
      { ...COLD, ranMs: 14_200, waitingShownUntilMs: 2_300 },
      "broken",
    ],
  ] as const)("leaves timeout.not-late as the others have it: %s", (_, cold, verdict) => {
    const finding = foundOf("timeout.not-late", [cold, WARM, WARM, WARM]);
    expect(finding.verdict).toBe(verdict);
  });

  it("leaves timeout.not-early as the others have it, where starting up counts", () => {
    const warm = { stamped: "running", startUpMs: 100, ranMs: 9_900 } as const;
    const cold = { ...warm, startUpMs: 2_000, ranMs: 8_000 };
    expect(foundOf("timeout.not-early", [cold, warm, warm, warm]).verdict).toBe("kept");
    const early = { ...cold, ranMs: 7_000 };
    expect(foundOf("timeout.not-early", [early, warm, warm, warm]).verdict).toBe("broken");
  });
});

describe("a limit that is wrong whatever counts", () => {
  it.each([
    ["too early from both", "timeout.not-early", "starting", 6_000],
    ["too early from both", "timeout.not-early", "running", 6_000],
    ["too late from both", "timeout.not-late", "starting", 12_500],
    ["too late from both", "timeout.not-late", "running", 12_500],
  ] as const)("%s breaks %s, stamped at %s", (_, promise, stamped, ranMs) => {
    expect(verdict(promise, { startUpMs: 3_000, stamped, ranMs })).toBe("broken");
  });

  it.each([
    ["timeout.not-early", 9_000],
    ["timeout.not-late", 13_000],
  ] as const)("a short start-up does not hide 1 s: %s", (promise, ranMs) => {
    expect(verdict(promise, { startUpMs: 100, stamped: "running", ranMs })).toBe("broken");
  });
});

describe("a run whose start and end two machines stamp", () => {
  const stamped = (ranMs: number, endClockMs: number) =>
    ({ startUpMs: 0, stamped: "running", ranMs, endClockMs }) as const;

  it.each([
    ["timeout.not-early", 10_000, -200, "kept"],
    ["timeout.not-early", 10_000, -450, "inconclusive"],
    ["timeout.not-early", 10_000, -1_000, "inconclusive"],
    ["timeout.not-early", 9_500, -450, "broken"],
    ["timeout.not-early", 9_500, 0, "broken"],
    ["timeout.not-late", 11_900, 450, "inconclusive"],
    ["timeout.not-late", 12_400, 0, "broken"],
  ] as const)("%s of runs of %i ms, ended by a clock %i ms ahead, is %s", (...row) => {
    const [promise, ranMs, endClockMs, expected] = row;
    expect(verdict(promise, stamped(ranMs, endClockMs))).toBe(expected);
  });
});

describe("a suite that was late itself, of a service in real time", () => {
  const lag = { earlyMs: 500, lateMs: 500 };
  const ran = (ranMs: number) => ({ startUpMs: 0, stamped: "running", ranMs }) as const;

  it.each([
    ["timeout.not-late", 11_900, "kept", /ended by 12 s/],
    ["timeout.not-late", 12_400, "inconclusive", /suite itself lagged 500 ms/],
    ["timeout.not-late", 12_600, "broken", /12\.6 s; promised 10 s/],
    ["timeout.not-early", 9_400, "inconclusive", /suite itself lagged 500 ms/],
    ["timeout.not-early", 9_000, "broken", /9 s; promised 10 s/],
  ] as const)("%s of jobs that ran %i ms is %s", (promise, ranMs, verdict, summary) => {
    const finding = found(promise, ran(ranMs), lag);
    expect(finding.verdict).toBe(verdict);
    expect(finding.summary).toMatch(summary);
  });
});

describe("a job that ends as failed", () => {
  it.each([
    ["at its limit, start-up or not", 0, "running", 10_000, "broken"],
    ["just before its limit, within the tolerance", 500, "running", 9_800, "inconclusive"],
    ["a millisecond before its limit", 0, "running", 9_999, "inconclusive"],
    ["shortly before its limit", 0, "running", 9_700, "inconclusive"],
    ["long before its limit", 0, "running", 5_000, "inconclusive"],
    ["at its limit, if starting up counts", 3_000, "starting", 7_000, "inconclusive"],
    ["at its limit, if starting up does not count", 3_000, "starting", 10_000, "broken"],
  ] as const)("%s", (_, startUpMs, stamped, ranMs, expected) => {
    const job = { startUpMs, stamped, ranMs, end: "failed" } as const;
    expect(verdict("timeout.fires", job)).toBe(expected);
  });

  it.each([
    ["just before its limit", 9_900, "inconclusive"],
    ["at its limit", 10_000, "broken"],
  ] as const)("alone among timeouts, %s", (_, ranMs, expected) => {
    const timeout = { startUpMs: 0, stamped: "running", ranMs: 10_000 } as const;
    const jobs = [{ ...timeout, ranMs, end: "failed" } as const, timeout, timeout, timeout];
    expect(foundOf("timeout.fires", jobs).verdict).toBe(expected);
  });
});

describe("a timed-out job's cost", () => {
  it.each([
    ["nothing", {}, "kept"],
    ["not told", { total_usd: null, run_usd: null, infra_usd: null }, "unobserved"],
    ["a total", { total_usd: 0.000_1 }, "broken"],
    ["a part for its run, of a total of 0", { run_usd: 0.01 }, "kept"],
    ["a part for its run, without a total", { total_usd: null, run_usd: 0.01 }, "broken"],
    ["a part for infrastructure, of a total of 0", { infra_usd: 0.001 }, "kept"],
  ] as const)("that is %s", (_, cost, expected) => {
    const job = { startUpMs: 0, stamped: "running", ranMs: 10_000, cost } as const;
    expect(verdict("timeout.free", job)).toBe(expected);
  });

  it("that comes after its end is shown by both answers", () => {
    const { history } = observed({ startUpMs: 0, stamped: "running", ranMs: 10_000 });
    const end = history.polls.at(-1) ?? history.submission;
    const body = end.body.replace('"total_usd":0', '"total_usd":0.01');
    const later = { ...end, body, sentAtMs: end.sentAtMs + 4_000 };
    const polls = [...history.polls, later];
    const beyond = [{ history: { ...history, polls }, lag: NO_LAG }];
    const given = { bounds: BOUNDS, beyond, below: [], balance: null, without: "none" };
    const { observations } = findingOf(judgeTimeouts(limitTrial(given)), "timeout.free");
    expect(observations.map((quote) => /"total_usd":[\d.]+/.exec(quote.body ?? "")?.[0])).toEqual([
      '"total_usd":0',
      '"total_usd":0.01',
    ]);
  });

  it("that only a balance shows is one of jobs and balances", () => {
    const exchanges = (["credits", "me"] as const).map((route) =>
      withJson(200, {}, { route, path: `/${route}` }),
    );
    const span = (before: number, after: number, timeouts: number) => ({
      ...{ before: { "credits.left": before }, after: { "credits.left": after }, seconds: 3 },
      ...{ timeouts, knownCost: 0, exchanges },
    });
    const balance = {
      calibration: { ...span(100, 98, 0), cost: 2 },
      waves: [span(98, 86, 12), span(86, 80, 6)],
      quiet: [span(86, 86, 0), span(80, 80, 0)],
    };
    const job = observed({ startUpMs: 0, stamped: "running", ranMs: 10_000 }, 1);
    const beyond = [{ ...job, lag: NO_LAG }];
    const given = { bounds: BOUNDS, beyond, below: [], balance, without: "none" };
    const found = findingOf(judgeTimeouts(limitTrial(given)), "timeout.free");
    const said = [found.verdict, found.summary.split(":")[0]];
    expect(said).toEqual(["broken", "1 of 2 jobs and balances"]);
    expect(new Set(found.observations.map(({ request }) => request))).toEqual(
      new Set(["GET /credits"]),
    );
  });
});
