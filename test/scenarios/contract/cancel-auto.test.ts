/** Services that cancel late, judged where the target does not say how they cancel. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../../contract/promises.ts";
import type { RunResult } from "../../../contract/run/run-result.ts";
import type { Choices } from "../../../reference/choices.ts";
import { faultOf } from "../../../reference/faults/fault.ts";
import type { Answer } from "../../../reference/http.ts";
import { buildReport } from "../../../report/build-report.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { findingOf, promisesWith } from "../../contract/findings.ts";

const [QUEUED, NOT_RUNNING, NOT_TERMINAL] = [
  "cancel.queued",
  "cancel.not-running",
  "cancel.not-terminal",
] as const;
const PROMISES: readonly PromiseId[] = [QUEUED, NOT_RUNNING, NOT_TERMINAL];

interface Case {
  title: string;
  choices: Partial<Choices>;
  /** Left out: quiet. */
  surroundings?: keyof typeof SURROUNDINGS;
  /** Left out: the case's place. */
  seed?: number;
  fault?: string;
  broken: readonly PromiseId[];
  exitCode: number;
  note: string;
}

const NO_METHOD: Answer = { status: 405, headers: {}, body: undefined };
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
    title: "cancels after 3 seconds, answers 404 to other methods, and is far away",
    choices: { cancelAfter: "3", cancelMethod: "PATCH", cancelBody: "status" },
    surroundings: "far",
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
  {
    title: "cancels after 3 seconds, ended jobs as well, and is on a bad line",
    choices: { cancelAfter: "3", cancelAnswer: "empty", otherMethod: "405" },
    surroundings: "storm",
    seed: 443692,
    fault: ENDED,
    broken: [NOT_TERMINAL],
    exitCode: 99,
    note: "cancel is DELETE /v1/jobs/id",
  },
  {
    title: "says yes, cancels nothing, and has no other method",
    choices: { otherMethod: "405" },
    fault: "cancel.queued/ignored",
    broken: [QUEUED],
    exitCode: 99,
    note: "cancel can only be DELETE /v1/jobs/id",
  },
  {
    title: "refuses to cancel, has no other method, and is far away",
    choices: { otherMethod: "501" },
    surroundings: "far",
    fault: "cancel.queued/refused",
    broken: [QUEUED],
    exitCode: 99,
    note: "cancel can only be DELETE /v1/jobs/id",
  },
];

function brokenIn({ findings }: RunResult): readonly PromiseId[] {
  return promisesWith(findings, "broken");
}

function doubtsIn({ findings }: RunResult): readonly string[] {
  return findings
    .filter(({ promise, verdict }) => PROMISES.includes(promise) && !/kept|broken/.test(verdict))
    .map(({ promise, verdict, reason }) => `${promise} is ${verdict}: ${reason}`);
}

describe("a service that", () => {
  const inTurn = (at: number) => (at % 2 === 0 ? "A" : "B");
  it.each(CASES.map((each, at) => [each.title, inTurn(at), at, each] as const))(
    "%s, in variant %s",
    async (_title, variant, at, { choices, surroundings = "quiet", fault, ...expected }) => {
      const { seed = at, broken, exitCode, note } = expected;
      const result = await simulateGate({
        seed,
        surroundings: SURROUNDINGS[surroundings],
        service: { variant, choices, faults: fault === undefined ? [] : [fault] },
        only: PROMISES,
        target: (target) => ({ ...target, cancel: { method: "auto", body: null } }),
      });
      expect(doubtsIn(result)).toEqual([]);
      expect(brokenIn(result)).toEqual(broken);
      expect(result.notes).toContainEqual(expect.stringContaining(note));
      expect(buildReport(result).exitCode).toBe(exitCode);
    },
  );
});

it("a service without any cancel is told from one whose jobs all ran at once", async () => {
  const absent = faultOf(QUEUED, "absent", "A job's path has no method that cancels it", () => ({
    cancel: () => "refuse",
    answer: (answer, { reason }) => (reason === "cancel-refused" ? NO_METHOD : answer),
  }));
  const { findings, ...result } = await simulateGate({
    seed: 1,
    service: { faults: [absent.name], choices: { otherMethod: "405" } },
    otherFaults: [absent],
    only: PROMISES,
    target: (target) => ({ ...target, cancel: { method: "auto", body: null } }),
  });
  expect(findingOf(findings, QUEUED)).toMatchObject({
    verdict: "inconclusive",
    reason: expect.stringMatching(/a queued job went on to completed after .* \(answered 405\)/),
  });
  expect(buildReport({ ...result, findings }).exitCode).toBe(111);
});
