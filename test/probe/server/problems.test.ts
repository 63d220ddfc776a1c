/** What is a problem, how problems are grouped, and that each leads to a runbook. */

import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { IN_FRONT } from "../../../probe/answer-text.ts";
import type { ProbeEvent } from "../../../probe/events.ts";
import { API_CHECKS, SKIP_REASONS } from "../../../probe/events.ts";
import type { Outcome } from "../../../probe/outcome.ts";
import { OUTCOMES } from "../../../probe/outcome.ts";
import { ROOT } from "../../../runner/package-root.ts";
import { boardOf, runOf, START_MS, settledEvent, show } from "./boards.ts";

const RUNBOOKS = path.join(ROOT, "docs/runbooks");

/** Between two events: too short for a canary to be called silent. */
const STEP_MS = 10_000;

/** A board some seconds after the last event. */
function boardAfter(names: readonly string[], events: readonly ProbeEvent[]) {
  let nowMs = START_MS;
  const board = boardOf(START_MS, () => nowMs);
  show(board, names);
  for (const event of events) {
    board.apply(event);
    nowMs += STEP_MS;
  }
  return board.view(nowMs, null);
}

function settled(canary: string, at: number, outcome: Outcome) {
  const endedAtMs = START_MS + at * STEP_MS;
  const submittedAtMs = endedAtMs - 5_000;
  const changes = { outcome, why: `it was ${outcome}`, end: null, submittedAtMs };
  return settledEvent(runOf(canary, at), endedAtMs, changes);
}

describe("runs that fail", () => {
  it("are one problem of all canaries that meet it, since the first failure", () => {
    const { problems } = boardAfter(
      ["a", "b"],
      [
        settled("a", 0, "success"),
        settled("a", 1, "deadline"),
        settled("b", 2, "deadline"),
        settled("a", 3, "deadline"),
      ],
    );
    expect(problems).toMatchObject([
      {
        cause: "outcome.deadline",
        canaries: ["a", "b"],
        times: 3,
        sinceMs: START_MS + STEP_MS,
        lastAtMs: START_MS + 3 * STEP_MS,
        details: ["it was deadline"],
        jobIds: ["job_3", "job_1", "job_2"],
      },
    ]);
  });

  it("are over with a success, and gone ten minutes later", () => {
    const events = [settled("a", 0, "http_error"), settled("a", 1, "success")];
    expect(boardAfter(["a"], events)).toMatchObject({ problems: [], over: [{ times: 1 }] });
    const later = Array.from({ length: 60 }, (_, at) => settled("a", at + 2, "success"));
    expect(boardAfter(["a"], [...events, ...later])).toMatchObject({ problems: [], over: [] });
  });

  it("stay a problem where they come again between good ones, whichever the last is", () => {
    const outcomes = ["wrong_state", "success", "success", "wrong_state", "success"] as const;
    const runs = outcomes.map((outcome, at) => settled("a", at, outcome));
    const problem = {
      cause: "outcome.wrong_state",
      times: 2,
      sinceMs: START_MS,
      lastAtMs: START_MS + 3 * STEP_MS,
      details: ["it was wrong_state", "other runs meanwhile succeeded"],
      jobIds: ["job_3", "job_0"],
    };
    for (const seen of [runs, runs.slice(0, -1)]) {
      expect(boardAfter(["a"], seen)).toMatchObject({ problems: [problem], over: [] });
    }
  });

  it("of several kinds between good ones are told apart", () => {
    const outcomes = ["probe_error", "success", "deadline", "success", "probe_error", "success"];
    const runs = outcomes.map((outcome, at) => settled("a", at, outcome as Outcome));
    expect(boardAfter(["a"], runs)).toMatchObject({
      problems: [{ cause: "outcome.probe_error", times: 2 }],
      over: [{ cause: "outcome.deadline", times: 1 }],
    });
  });

  it("without a job are in the order of their submissions, however long it was looked for", () => {
    const begun = (at: number) => ({ submittedAtMs: START_MS + at * STEP_MS });
    const lost = (at: number, settledAt: number): ProbeEvent => {
      const event = settled("a", settledAt, "http_error");
      const run = { ...event.run, jobId: null };
      return { ...event, run, settled: { ...event.settled, ...begun(at) } };
    };
    const over = [settled("a", 0, "success"), lost(1, 6), settled("a", 7, "success"), lost(2, 8)];
    expect(boardAfter(["a"], over)).toMatchObject({
      problems: [],
      over: [{ times: 2, details: ["it was http_error"], sinceMs: START_MS + STEP_MS }],
    });
    const later = { ...settled("a", 7, "success") };
    const slow = { ...later, settled: { ...later.settled, ...begun(0) } };
    expect(boardAfter(["a"], [lost(1, 1), slow])).toMatchObject({ problems: [{ times: 1 }] });
  });

  it("of jobs that began in an outage, and miss their deadlines after it, are its last", () => {
    const late = (at: number, settledAt: number): ProbeEvent => {
      const event = settled("a", settledAt, "deadline");
      const submittedAtMs = START_MS + at * STEP_MS;
      return { ...event, settled: { ...event.settled, submittedAtMs } };
    };
    const events = [settled("a", 0, "success"), late(1, 4), settled("a", 5, "success"), late(2, 6)];
    const over = [{ cause: "outcome.deadline", times: 2, sinceMs: START_MS + 4 * STEP_MS }];
    expect(boardAfter(["a"], events)).toMatchObject({ problems: [], over });
    expect(boardAfter(["a"], [...events, late(6, 8)]).problems).toMatchObject([{ times: 3 }]);
  });

  it("are over where they failed only while another canary did that has succeeded since", () => {
    const late = settled("b", 0, "http_error");
    const other = { ...late, settled: { ...late.settled, why: "the submission: answered 503" } };
    const ended = [other, settled("a", 1, "http_error")];
    const [over, later] = [settled("a", 3, "success"), settled("b", 4, "http_error")];
    expect(boardAfter(["a", "b"], [...ended, over])).toMatchObject({
      problems: [],
      over: [{ canaries: ["a", "b"], times: 2 }],
    });
    const again = boardAfter(["a", "b"], [...ended, over, later, settled("a", 5, "success")]);
    expect(again).toMatchObject({ problems: [{ canaries: ["a", "b"] }], over: [] });
    const others = [settled("b", 0, "wrong_state"), ...ended.slice(1), over];
    expect(boardAfter(["a", "b"], others).problems).toMatchObject([{ canaries: ["b"] }]);
    const well = settled("a", 1, "success");
    const apart = [settled("b", 0, "http_error"), well, settled("a", 2, "http_error"), over];
    expect(boardAfter(["a", "b"], apart)).toMatchObject({ problems: [{ times: 2 }], over: [] });
  });

  it("stay a problem where they come again, though one of another canary is over", () => {
    const outcomes = ["deadline", "success", "deadline", "success"] as const;
    const runs = outcomes.map((outcome, at) => settled("a", 2 * at, outcome));
    const once = [settled("b", 3, "deadline"), settled("b", 7, "success")];
    const inOrder = [...runs.slice(0, 2), once[0], ...runs.slice(2), once[1]];
    const { problems } = boardAfter(["a", "b"], inOrder as ProbeEvent[]);
    expect(problems).toMatchObject([{ canaries: ["a", "b"], times: 3 }]);
  });

  it("say once what stands in front of the service", () => {
    const page = 'answered 200 with a web page "Sign in"';
    const failed = (canary: string, why: string) => {
      const event = settled(canary, 0, "http_error");
      return { ...event, settled: { ...event.settled, why } };
    };
    const front = failed("a", `the submission: ${page}${IN_FRONT}; the list: ${page}${IN_FRONT}`);
    const both = [front, failed("b", `the last poll was ${page}${IN_FRONT}`)];
    expect(boardAfter(["a", "b"], both).problems).toMatchObject([
      {
        title: "Requests fail, as of something in front of the service",
        details: [`the submission: ${page}; the list: ${page}`, `the last poll was ${page}`],
      },
    ]);
    const mixed = boardAfter(["a", "b"], [front, failed("b", "answered 503")]);
    expect(mixed.problems).toMatchObject([{ title: "Requests fail" }]);
  });

  it("are dated by outcome; what an outage hides is told for some minutes more", () => {
    const wrong = [0, 1].map((at) => settled("a", at, "wrong_state"));
    const hung = (count: number) =>
      Array.from({ length: count }, (_, at) => settled("a", at + 2, "http_error"));
    const hidden = { cause: "outcome.wrong_state", sinceMs: START_MS, times: 2 };
    const outage = { cause: "outcome.http_error", sinceMs: START_MS + 2 * STEP_MS };
    const { problems } = boardAfter(["a"], [...wrong, ...hung(18)]);
    expect(problems).toMatchObject([hidden, { ...outage, times: 18 }]);
    const later = boardAfter(["a"], [...wrong, ...hung(70)]);
    expect(later.problems).toMatchObject([{ ...outage, times: 70 }]);
    const again = boardAfter(["a"], [...wrong, ...hung(30), settled("a", 32, "wrong_state")]);
    expect(again.problems).toMatchObject([{ ...hidden, times: 3 }, outage]);
  });

  it("have begun with the first, though the row shows only the last of them", () => {
    const failed = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => settled("a", from + at, "deadline"));
    const all = [...failed(0, 3), settled("a", 3, "success"), ...failed(4, 95)];
    expect(boardAfter(["a"], all).problems).toMatchObject([
      { times: 95, sinceMs: START_MS + 4 * STEP_MS },
    ]);
    expect(boardAfter(["a"], [...all, settled("a", 99, "success")]).problems).toEqual([]);
  });
});

function violation(canary: string, at: number): ProbeEvent {
  const run = { runId: `${canary}-${at}`, canary, workerId: "echo", jobId: `job_${at}` };
  return { type: "violation", run, promise: "timeout.fires", summary: "it ran on", atMs: START_MS };
}

const BROKEN =
  "Broken promise timeout.fires: A job that exceeds its run limit ends as timed out: it ran on";

describe("a promise that failed runs broke", () => {
  it("is part of their problem", () => {
    const { problems } = boardAfter(
      ["a"],
      [settled("a", 0, "success"), violation("a", 1), settled("a", 1, "wrong_state")],
    );
    expect(problems).toMatchObject([
      { cause: "outcome.wrong_state", times: 1, details: ["it was wrong_state"], broken: [BROKEN] },
    ]);
    expect(problems[0]?.summary).toContain(BROKEN);
  });

  it("is part of their problem where the fault began in the middle of a run that was well", () => {
    const before = [violation("a", 0), settled("a", 0, "success")];
    const after = [violation("a", 1), settled("a", 1, "wrong_state")];
    expect(boardAfter(["a"], [...before, ...after]).problems).toMatchObject([
      { cause: "outcome.wrong_state", broken: [BROKEN] },
    ]);
  });

  it("is a problem of its own where runs that were well broke it, too", () => {
    const before = [0, 1].flatMap((at) => [violation("a", at), settled("a", at, "success")]);
    const after = [violation("a", 2), settled("a", 2, "wrong_state")];
    const { problems } = boardAfter(["a"], [...before, ...after]);
    expect(problems).toMatchObject([
      { cause: "outcome.wrong_state", broken: [] },
      { cause: "timeout.fires", times: 3 },
    ]);
  });

  it("is a problem of its own where another canary's run broke it", () => {
    const events = [settled("a", 0, "wrong_state"), violation("b", 1), settled("b", 1, "success")];
    const causes = boardAfter(["a", "b"], events).problems.map(({ cause }) => cause);
    expect(causes).toEqual(["outcome.wrong_state", "timeout.fires"]);
  });

  it("is one problem of its own where another canary's run that was well broke it, too", () => {
    const { problems } = boardAfter(
      ["a", "b"],
      [
        ...[violation("a", 0), settled("a", 0, "wrong_state")],
        ...[violation("b", 1), settled("b", 1, "success")],
      ],
    );
    expect(problems).toMatchObject([
      { cause: "outcome.wrong_state", canaries: ["a"], broken: [] },
      { cause: "timeout.fires", canaries: ["a", "b"], times: 2 },
    ]);
  });

  it("stays when they are over", () => {
    const events = [violation("a", 0), settled("a", 0, "wrong_state"), settled("a", 1, "success")];
    expect(boardAfter(["a"], events).problems).toMatchObject([{ cause: "timeout.fires" }]);
  });
});

it("a promise that a failed check broke is part of its problem", () => {
  const promise = "account.readable" as const;
  const violation = { type: "violation", run: null, check: "me", promise, atMs: 0 } as const;
  const seen = { ...violation, summary: "not JSON" };
  const failed = { type: "api-check", check: "me", outcome: "wrong_result", atMs: 0 } as const;
  const check = { ...failed, why: "not JSON", promises: [promise] };
  const ok = settled("a", 0, "success");
  const [problem, ...others] = boardAfter(["a"], [ok, seen, check]).problems;
  expect(problem).toMatchObject({ cause: "checks", details: ["GET /v1/me: not JSON"] });
  expect(problem?.broken).toEqual([expect.stringMatching(/^Broken promise account.readable: /)]);
  expect(others).toEqual([]);
});

it.each([
  ["http_error", "PlumblineApiAvailableBurn"],
  ["wrong_result", "PlumblineApiAvailableBurn"],
  ["auth", "PlumblineKeyRejected"],
  ["rate_limited", "PlumblineRateLimitedWithinPlan"],
  ["credits", "PlumblineCreditsLow"],
] as const)("a check whose outcome is %s links to %s", (outcome, runbook) => {
  const check = { type: "api-check", check: "me", outcome, why: "so", promises: [] } as const;
  const board = boardAfter(["a"], [settled("a", 0, "success"), { ...check, atMs: 0 }]);
  const isRefused = runbook !== "PlumblineApiAvailableBurn";
  const cause = isRefused ? `outcome.${outcome}` : "checks";
  expect(board.problems).toMatchObject([{ cause, runbook }]);
});

describe("runs that are skipped", () => {
  const skipped: ProbeEvent = {
    type: "run-skipped",
    canary: "a",
    reason: "budget",
    count: 1,
    why: "60 of 60 jobs are spent",
  };
  const due: ProbeEvent = { type: "run-due", canary: "a", lagMs: 0, nextDueMs: START_MS };
  const ok = settled("a", 0, "success");

  it("are one problem, since the first of them", () => {
    const { problems } = boardAfter(["a"], [ok, due, skipped, due, skipped]);
    expect(problems).toMatchObject([
      { cause: "skipped.budget", times: 2, sinceMs: START_MS + 2 * STEP_MS, canaries: ["a"] },
    ]);
  });

  it("are over when a run starts", () => {
    const run = { runId: "a-9", canary: "a", workerId: "echo", jobId: null };
    const started: ProbeEvent = { type: "run-started", run, atMs: START_MS };
    expect(boardAfter(["a"], [ok, skipped, due, started]).problems).toEqual([]);
  });
});

it("what lasts is told since it began, until it is over", () => {
  const failed: ProbeEvent = { type: "journal-failed", what: "write", why: "disk full" };
  const recovered: ProbeEvent = { type: "journal-recovered" };
  const ok = settled("a", 0, "success");
  expect(boardAfter(["a"], [ok, failed, failed]).problems).toMatchObject([
    { cause: "journal", sinceMs: START_MS + STEP_MS, times: 2, details: ["disk full"] },
  ]);
  expect(boardAfter(["a"], [ok, failed, recovered]).problems).toEqual([]);
});

it("a probe without canaries is a problem", () => {
  expect(boardAfter([], []).problems).toMatchObject([{ cause: "no-canary" }]);
});

/** Each event that is a problem by itself, or makes one of the canary. */
const EVENTS: readonly ProbeEvent[] = [
  ...OUTCOMES.filter((outcome) => outcome !== "success").map((each) => settled("a", 0, each)),
  ...SKIP_REASONS.map((reason) => {
    return { type: "run-skipped", canary: "a", reason, count: 1, why: "so" } as const;
  }),
  ...API_CHECKS.map((check) => {
    return {
      type: "api-check",
      check,
      outcome: "http_error",
      why: "500",
      promises: [],
      atMs: 0,
    } as const;
  }),
  { type: "violation", run: null, promise: "job.cost", summary: "off", atMs: START_MS },
  {
    type: "delivery",
    run: { runId: "a-0", canary: "a", workerId: "echo", jobId: "job_0" },
    outcome: "missing",
    delay: null,
  },
  { type: "journal-failed", what: "write", why: "disk full" },
  { type: "journal-failed", what: "read", why: "bad page" },
  { type: "reload", ok: false, why: "no baseUrl", atMs: START_MS },
  { type: "receiver", listening: false, why: "the port is taken" },
  { type: "disturbance", sleptMs: 60_000, steppedMs: 0 },
  { type: "disturbance", sleptMs: 0, steppedMs: -3_600_000 },
];

it.each(EVENTS.map((event) => [JSON.stringify(event).slice(0, 60), event] as const))(
  "%s has a runbook in this package",
  (_, event) => {
    const [problem] = boardAfter(["a"], [event]).problems;
    expect(existsSync(path.join(RUNBOOKS, `${problem?.runbook}.md`))).toBe(true);
  },
);

it.each([
  [12.344, [expect.any(String), "the balance last read is 12.34"]],
  [Number.NaN, [expect.any(String)]],
])("a refusal for want of credits is told beside the balance: %d", (left, details) => {
  const events = [settled("a", 0, "credits"), { type: "credits", left } as const];
  const [problem] = boardAfter(["a"], events).problems;
  expect(problem).toMatchObject({ cause: "outcome.credits", details });
});

describe("a pause that the service asked for", () => {
  it("is one problem with the 429 that began it, and no silence", () => {
    const skipped = (at: number): ProbeEvent => ({
      type: "run-skipped",
      canary: "a",
      reason: "rate_limited",
      why: "a 429 asked for a wait of 1 h",
      count: at,
    });
    const events = [
      settled("a", 0, "rate_limited"),
      ...Array.from({ length: 60 }, (_, at) => skipped(at + 1)),
    ];
    const { problems } = boardAfter(["a"], events);
    expect(problems.map(({ cause }) => cause)).toEqual(["outcome.rate_limited"]);
  });
});
