/** What the judges of jobs keep, and what they leave unobserved. */

import { describe, expect, it } from "vitest";
import { judgeStatus } from "../../../contract/judges/expected-status.ts";
import { JOB_PROMISES, judgeJobs } from "../../../contract/judges/job.ts";
import { findingOf, promisesWith } from "../findings.ts";
import { asked } from "./answers.ts";
import type { Scene } from "./job/fixtures.ts";
import { exchange, pollsTo, run, T0 } from "./job/fixtures.ts";

describe("what is kept and what is not observed", () => {
  it("a healthy run of variant B keeps all promises on jobs", () => {
    expect(promisesWith(judgeJobs(run({ variant: "B" })), "kept")).toEqual(JOB_PROMISES);
  });

  it("a healthy run of variant A keeps all but files, which it does not have", () => {
    const findings = judgeJobs(run({ variant: "A" }));
    expect(promisesWith(findings, "unobserved")).toEqual(["job.files"]);
    expect(promisesWith(findings, "kept")).toHaveLength(JOB_PROMISES.length - 1);
  });

  it("without jobs nothing is observed", () => {
    expect(promisesWith(judgeJobs([]), "unobserved")).toEqual(JOB_PROMISES);
  });

  it("disturbed answers are no samples", () => {
    const disturbed = [0, 429, 500, 503].map((status, i) => ({
      state: "completed" as const,
      at: 100 * i,
      status,
    }));
    const polls = { completed: disturbed };
    const findings = judgeJobs(run({ variant: "B", ends: ["completed"], polls }));
    expect(promisesWith(findings, "unobserved")).toEqual(JOB_PROMISES);
  });

  it.each([
    ["job.error-only-on-failure", ["completed"]],
    ["job.result-present", ["failed"]],
    ["job.files", ["failed"]],
  ] as const)("%s is not observed with jobs that end %s only", (promise, ends) => {
    const findings = judgeJobs(run({ variant: "B", ends }));
    expect(findingOf(findings, promise).verdict).toBe("unobserved");
  });

  it("job.terminal-final is not observed with one poll at each end", () => {
    const polls = { completed: pollsTo("completed").slice(0, 4) };
    const findings = judgeJobs(run({ variant: "A", ends: ["completed"], polls }));
    expect(findingOf(findings, "job.terminal-final").verdict).toBe("unobserved");
  });

  it.each([
    ["an ended job", 7_000, "unobserved"],
    ["a job that then ended otherwise", 3_000, "broken"],
  ])("%s that was asked to be cancelled: job.terminal-final", (_, sentAtMs, verdict) => {
    const cancel = exchange({ status: 200, sentAtMs: T0 + sentAtMs });
    const scene: Scene = {
      variant: "B",
      ends: ["completed"],
      polls: { completed: [...pollsTo("completed"), { state: "cancelled", at: 9_000 }] },
      history: (history) => ({ ...history, cancelRequests: [cancel] }),
    };
    // What a cancel does to an ended job is left to cancel.not-terminal.
    const finding = findingOf(judgeJobs(run(scene)), "job.terminal-final");
    expect(finding.verdict).toBe(verdict);
  });

  it("overlapping polls that arrive out of order are no step back", () => {
    const polls = {
      completed: [
        { state: "running" as const, at: 600 },
        { state: "queued" as const, at: 605 },
        ...pollsTo("completed").slice(3),
      ],
    };
    const findings = judgeJobs(run({ variant: "A", polls }));
    expect(findingOf(findings, "job.forward-only").verdict).toBe("kept");
  });
});

it("two jobs whose submission times disagree leave the future unjudged", () => {
  const clocks = [0, 3_600_000].flatMap((offsetMs, index) =>
    run({ variant: "A", ends: [index === 0 ? "completed" : "failed"], offsetMs }),
  );
  const finding = findingOf(judgeJobs(clocks), "job.timestamps");
  expect(finding.verdict).toBe("kept");
  expect(finding.evidence.clockOffsetAtMostMs).toBeNull();
});

it("a second submission under a known identifier is left to submit.unique-id", () => {
  const [first] = run({ variant: "B", ends: ["completed"] });
  if (first === undefined) throw new Error("run made no history; expected one");
  const submission = { ...first.submission, sentAtMs: T0 + 5_800, receivedAtMs: T0 + 5_810 };
  const findings = judgeJobs([{ ...first, submission }, first]);
  expect(promisesWith(findings, "broken")).toEqual([]);
});

describe("job.unknown", () => {
  it.each([
    ["404 keeps it", [404], "kept"],
    ["200 breaks it", [404, 200], "broken"],
    ["400 breaks it", [400], "broken"],
    ["a disturbed answer says nothing", [503, 429, 0], "inconclusive"],
    ["a disturbed answer beside a right one does no harm", [503, 404], "kept"],
    ["no answer says nothing", [], "unobserved"],
  ] as const)("%s", (_, statuses, verdict) => {
    const cases = statuses.map((status) => asked("an unknown job", exchange({ status })));
    expect(judgeStatus("job.unknown", cases).verdict).toBe(verdict);
  });

  it("400 keeps it for what has not the form of an identifier", () => {
    const odd = { ...asked("an odd one", exchange({ status: 400 })), lawful: [400] };
    expect(judgeStatus("job.unknown", [odd]).verdict).toBe("kept");
  });
});
