/** The log on a terminal: time, severity, canary and outcome first, the rest behind. */

import { expect, it } from "vitest";
import { readableLine } from "../../../probe/operation/readable-log.ts";

const AT = "2026-11-23T11:26:55.060Z";

it.each([
  [
    "a run that succeeded",
    { level: 30, event: "run-settled", runId: "4fb1", canary: "main", worker: "echo" },
    { jobId: "job_1", outcome: "success", durationMs: 1_116, msg: "the job completed" },
    "11:26:55 main: success after 1.1 s: the job completed (worker echo, jobId job_1)\n",
  ],
  [
    "a run without a job",
    { level: 40, event: "run-settled", runId: "4fb1", canary: "main", worker: "echo" },
    { jobId: null, outcome: "http_error", durationMs: 30_000, msg: "refused" },
    "11:26:55 WARN main: http error after 30 s: refused (worker echo)\n",
  ],
  [
    "what is of no run",
    { level: 50, event: "journal-failed" },
    { what: "write", msg: "no space left" },
    "11:26:55 ERROR no space left (what write)\n",
  ],
  [
    "names of the service's that would steer the terminal",
    { level: 40, event: "violation", canary: "main", worker: "echo" },
    { jobId: "job\u001b[2J\r\n11:26:55 main: ok", promise: "job.id", msg: "odd\u009b1A" },
    "11:26:55 WARN main: odd1A (worker echo, jobId job[2J 11:26:55 main: ok, promise job.id)\n",
  ],
])("tells %s", (_, head, rest, told) => {
  expect(readableLine(`${JSON.stringify({ ...head, time: AT, ...rest })}\n`)).toBe(told);
});

it("passes on what is no line of the log", () => {
  expect(readableLine("warning: node\n")).toBe("warning: node\n");
});
