/** Submissions that must be refused, control parameters, asynchrony. Spec §1.2, §4.3, §7. */

import { describe, expect, it } from "vitest";
import {
  judgeAnsweredAtEnd,
  judgeAsynchronous,
} from "../../../contract/judges/asynchronous/index.ts";
import type { ControlTrial } from "../../../contract/judges/control-parameters.ts";
import { judgeControlParameters } from "../../../contract/judges/control-parameters.ts";
import type { StatusCase } from "../../../contract/judges/expected-status.ts";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import { readHistories } from "../../../contract/judges/job/reading.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import { answer, asked, T0 } from "./answers.ts";
import { T0 as JOB_T0, run } from "./job/fixtures.ts";

describe("statuses of refused bodies", () => {
  it.each([
    ["submit.malformed", 400, [202, 422, 415, 403], [401, 402, 404, 429, 0]],
    ["submit.missing-field", 400, [202, 422, 200], [401, 402, 404, 429, 0]],
    ["submit.schema-violation", 422, [202, 400], [401, 402, 404, 429, 0]],
    ["submit.insufficient-credits", 402, [202, 403, 400], [401, 404, 0]],
  ] as const)("%s", (promise, good, wrong, doubtful) => {
    const judge = (cases: readonly StatusCase[], without: string) =>
      judgeStatus(promise, cases, without);
    const verdictOf = (status: number) => judge([asked("a body", answer(status))], "").verdict;
    expect(verdictOf(good)).toBe("kept");
    expect(wrong.map(verdictOf)).toEqual(wrong.map(() => "broken"));
    expect(doubtful.map(verdictOf)).toEqual(doubtful.map(() => "inconclusive"));
    expect(judge([], "no worker")).toMatchObject({ promise, verdict: "unobserved" });
    expect(judge([], "no worker").reason).toBe("no worker");
  });
});

describe("submit.control-parameters", () => {
  const trial = (statuses: Partial<Record<keyof ControlTrial, number>>): ControlTrial => {
    const of = (name: keyof ControlTrial) => {
      const status = statuses[name];
      return status === undefined ? null : answer(status);
    };
    return {
      workerId: "echo",
      both: of("both") ?? answer(202),
      priority: of("priority"),
      webhook: of("webhook"),
      reachableWebhook: of("reachableWebhook"),
      plain: of("plain"),
    };
  };
  const accepted = trial({ both: 202 });
  const webhookRefused = {
    both: 422,
    priority: 202,
    webhook: 422,
    reachableWebhook: 422,
    plain: 202,
  };
  const rows = [
    ["accepted everywhere", [accepted, accepted], false, "kept"],
    [
      "priority refused",
      [trial({ ...webhookRefused, priority: 422, webhook: 202 })],
      false,
      "broken",
    ],
    ["webhook refused by one worker only", [accepted, trial(webhookRefused)], false, "broken"],
    ["webhook refused everywhere", [trial(webhookRefused)], false, "inconclusive"],
    ["webhook refused everywhere by who delivers it", [trial(webhookRefused)], true, "broken"],
    [
      "an unreachable address refused, one that answers accepted",
      [trial({ ...webhookRefused, reachableWebhook: 202 })],
      false,
      "kept",
    ],
    [
      "an address that answers refused by one worker only",
      [trial({ ...webhookRefused, reachableWebhook: 202 }), trial(webhookRefused)],
      false,
      "broken",
    ],
    [
      "an unreachable address refused, and no answer to the other",
      [trial({ ...webhookRefused, reachableWebhook: 500 })],
      true,
      "inconclusive",
    ],
    [
      "each alone accepted, both together refused",
      [trial({ both: 422, priority: 202, webhook: 202, reachableWebhook: 202, plain: 202 })],
      false,
      "broken",
    ],
    ["the input itself refused", [trial({ both: 422, plain: 422 })], false, "inconclusive"],
    ["no credits", [trial({ both: 402 })], false, "inconclusive"],
    [
      "a conflict with what others write",
      [trial({ both: 409, priority: 202, webhook: 202, plain: 202 })],
      false,
      "inconclusive",
    ],
    ["no answer", [trial({ both: 0 })], false, "inconclusive"],
    ["no worker", [], false, "unobserved"],
  ] as const;
  it.each(rows)("%s", (_name, trials, isReached, verdict) => {
    expect(judgeControlParameters(trials, { without: "", isReached }).verdict).toBe(verdict);
  });
});

describe("submit.asynchronous", () => {
  const jobs = (answerMs: number, spanMs: number, count = 3) =>
    Array.from({ length: count }, () => ({
      submission: answer(202, { receivedAtMs: T0 + answerMs }),
      endSeenAtMs: T0 + spanMs,
    }));
  it.each([
    ["quick answers", jobs(3, 30), jobs(3, 200), "kept"],
    ["equally slow answers", jobs(80, 120), jobs(80, 260), "kept"],
    ["answers that wait for the run", jobs(10, 20), jobs(160, 170), "broken"],
    ["answers that wait for half the run", jobs(5, 20), jobs(80, 170), "broken"],
    ["in between", jobs(5, 20), jobs(55, 170), "inconclusive"],
    ["slow jobs that are not slow", jobs(3, 30), jobs(3, 50), "inconclusive"],
    ["slow jobs that are not slow, but long", jobs(30, 9_000), jobs(60, 8_000), "kept"],
    ["such jobs that wait for some of a run", jobs(30, 9_000), jobs(1_600, 8_000), "inconclusive"],
    [
      "long jobs that are answered as they end",
      jobs(8_990, 9_000),
      jobs(9_000, 9_020),
      "inconclusive",
    ],
    ["too few slow jobs", jobs(3, 30), jobs(3, 200, 1), "unobserved"],
  ])("%s: %#", (_name, fast, slow, verdict) => {
    expect(judgeAsynchronous(fast, slow, "").verdict).toBe(verdict);
  });

  it("one slow moment is no waiting", () => {
    const slow = [...jobs(3, 200, 4), ...jobs(150, 200, 1)];
    expect(judgeAsynchronous(jobs(3, 30), slow, "").verdict).toBe("kept");
  });

  it("believes the transport's own measure more than the observer's", () => {
    const submission: Exchange = answer(202, { receivedAtMs: T0 + 150, transportMs: 4 });
    const slow = [submission, submission].map((each) => ({
      submission: each,
      endSeenAtMs: T0 + 200,
    }));
    expect(judgeAsynchronous(jobs(3, 30), slow, "").verdict).toBe("kept");
  });
});

describe("answers of single submissions", () => {
  const answeredAfter = (...times: readonly number[]) => {
    const [job] = readHistories(run({ variant: "B", ends: ["completed"] }));
    if (job === undefined) throw new Error("no job");
    const { submission } = job.history;
    return times.map((ms) => ({
      ...job,
      history: {
        ...job.history,
        submission: { ...submission, receivedAtMs: submission.sentAtMs + ms },
      },
    }));
  };
  it.each([
    ["as their jobs ended", [20, 5_500, 30, 5_700], ["broken"]],
    ["as its job ended, once", [20, 5_500, 30, 40], []],
    ["late, and before their jobs ended", [20, 3_000, 4_900, 30], []],
    ["long after their jobs ended", [20, 7_000, 9_000, 30], []],
    ["late by any time, as a service under strain is", [4_100, 5_500, 5_700, 6_900, 9_000], []],
  ])("%s", (_name, times, verdicts) => {
    const found = judgeAnsweredAtEnd(answeredAfter(...times));
    expect(found.map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  it.each([
    ["some, by the times of others", 2, -1],
    ["all, by polls", 5, 0],
  ])("tell nothing where requests came in late: %s", (_name, count, firstPoll) => {
    const readings = answeredAfter(20, 20, 20, 20, 20).map((each, at) => {
      const { submission } = each.history;
      const sentAtMs = submission.sentAtMs - (at < count ? 5_700 : 0);
      const history = { ...each.history, submission: { ...submission, sentAtMs } };
      return { ...each, history, polls: each.polls.slice(firstPoll) };
    });
    expect(judgeAnsweredAtEnd(readings)).toEqual([]);
  });

  const shortJobs = (ms: number) => {
    const edit = (body: { timestamps: { finished_at: string | null } }) => {
      const { timestamps } = body;
      const finished_at =
        timestamps.finished_at === null ? null : new Date(JOB_T0 + 1_005).toISOString();
      return { ...body, timestamps: { ...timestamps, finished_at } };
    };
    const [job] = run({ variant: "B", ends: ["completed"], edit });
    if (job === undefined) throw new Error("no job");
    const { submission } = job;
    const receivedAtMs = submission.sentAtMs + ms;
    const one = { ...job, submission: { ...submission, receivedAtMs } };
    return readHistories([one, one]);
  };

  it("tell nothing of a job that is shorter than a connection is tried again", () => {
    expect(judgeAnsweredAtEnd(shortJobs(1_030))).toEqual([]);
  });

  it("tell nothing where those to short jobs come as late", () => {
    const waited = answeredAfter(20, 5_500, 30, 5_700);
    expect(judgeAnsweredAtEnd([...waited, ...shortJobs(5_800)])).toEqual([]);
    expect(judgeAnsweredAtEnd([...waited, ...shortJobs(1_030)])).toHaveLength(1);
  });
});
