/** Services that cancel late, judged by real k6 where the target does not say how they cancel. */

import { afterAll, describe, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { RunResult } from "../../../contract/run-result.ts";
import type { Choices } from "../../../reference/choices.ts";
import { buildReport } from "../../../report/build-report.ts";
import type { Condition } from "../../kill-matrix/judge-service.ts";
import { openJudges } from "../../kill-matrix/judges.ts";

const [QUEUED, NOT_RUNNING, NOT_TERMINAL] = [
  "cancel.queued",
  "cancel.not-running",
  "cancel.not-terminal",
] as const;
const PROMISES: readonly PromiseId[] = [QUEUED, NOT_RUNNING, NOT_TERMINAL];

/** Ours: a slow job runs for 400 ms then, which is long beside the lag of a busy machine. */
const TIME_SCALE = 0.05;
const TIMEOUT_MS = 600_000;

interface Case {
  title: string;
  choices: Partial<Choices>;
  fault?: string;
  broken: readonly PromiseId[];
  exitCode: number;
  note: string;
}

const STATUS = 'with {"status":"cancelled"}';
const RUNNING = "cancel.not-running/cancelled";
const ENDED = "cancel.not-terminal/cancelled";

const CASES: readonly Case[] = [
  {
    title: "cancels at once",
    choices: { cancelMethod: "PATCH", cancelBody: "action" },
    broken: [],
    exitCode: 0,
    note: 'cancel is PATCH /v1/jobs/id with {"action":"cancel"}',
  },
  {
    title: "cancels after half a second, and has no other method",
    choices: { cancelAfter: "0.5", otherMethod: "405" },
    broken: [],
    exitCode: 0,
    note: "cancel is DELETE /v1/jobs/id",
  },
  {
    title: "cancels after 3 seconds, and answers 404 to other methods",
    choices: { cancelAfter: "3", cancelMethod: "PATCH", cancelBody: "status" },
    broken: [],
    exitCode: 0,
    note: `cancel is PATCH /v1/jobs/id ${STATUS}`,
  },
  {
    title: "cancels after half a second, running jobs as well",
    choices: { cancelAfter: "0.5", otherMethod: "405" },
    fault: RUNNING,
    broken: [NOT_RUNNING],
    exitCode: 99,
    note: "cancel is DELETE /v1/jobs/id",
  },
  {
    title: "cancels after 3 seconds, running jobs as well",
    choices: { cancelAfter: "3", cancelMethod: "POST", otherMethod: "501" },
    fault: RUNNING,
    broken: [NOT_RUNNING],
    exitCode: 99,
    note: "cancel is POST /v1/jobs/id",
  },
  {
    title: "cancels after 3 seconds, ended jobs as well",
    choices: { cancelAfter: "3", otherMethod: "405" },
    fault: ENDED,
    broken: [NOT_TERMINAL],
    exitCode: 99,
    note: "cancel is DELETE /v1/jobs/id",
  },
];

function brokenIn({ findings }: RunResult): readonly PromiseId[] {
  return findings.filter(({ verdict }) => verdict === "broken").map(({ promise }) => promise);
}

function doubtsIn({ findings }: RunResult): readonly string[] {
  return findings
    .filter(({ promise, verdict }) => PROMISES.includes(promise) && !/kept|broken/.test(verdict))
    .map(({ promise, verdict, reason }) => `${promise} is ${verdict}: ${reason}`);
}

describe.concurrent("a service that", () => {
  const judges = openJudges(2);
  afterAll(() => judges.close());
  const inTurn = (at: number): Condition["variant"] => (at % 2 === 0 ? "A" : "B");
  it.for(CASES.map((each, at) => [each.title, inTurn(at), each] as const))(
    "%s, in variant %s",
    { timeout: TIMEOUT_MS },
    async ([, variant, { choices, fault, broken, exitCode, note }], { expect }) => {
      const faults = fault === undefined ? [] : [fault];
      const cancel = { method: "auto", body: null } as const;
      const condition = { variant, choices, faults, cancel, timeScale: TIME_SCALE, only: PROMISES };
      const { result, error } = await judges.judge(condition);
      if (result === null) throw new Error(error ?? "nothing was judged");
      expect(doubtsIn(result)).toEqual([]);
      expect(brokenIn(result)).toEqual(broken);
      expect(result.notes).toContainEqual(expect.stringContaining(note));
      expect(buildReport(result).exitCode).toBe(exitCode);
    },
  );
});
