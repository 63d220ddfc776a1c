/** What a cancel did to a queued job, with what later steps of the run saw of that job. */

import { describe, expect, it } from "vitest";
import { judgeCancels } from "../../../contract/judging/contract-cancel.ts";
import { promisedTimes } from "../../../contract/promised-times.ts";
import { DEFAULT_TOLERANCES } from "../../../contract/run-plan.ts";
import type { State } from "../../../contract/states.ts";
import { exchange, run, T0 } from "../judges/job/fixtures.ts";

const TIMES = promisedTimes({ timeScale: 1, tolerances: DEFAULT_TOLERANCES });

/** The trial saw the first states after its request, later steps the others. */
function verdict(inTrial: readonly State[], later: readonly State[], method = "DELETE"): string {
  const states: readonly State[] = ["queued", ...inTrial, ...later];
  const plans = states.map((state, index) => ({ state, at: 100 + 1_000 * index }));
  const [job] = run({ variant: "B", ends: ["cancelled"], polls: { cancelled: plans } });
  if (job === undefined) throw new Error("no job");
  const [before, ...polls] = job.polls;
  if (before === undefined) throw new Error("no poll");
  const sent = { sentAtMs: T0 + 200, receivedAtMs: T0 + 210 };
  const cancel = exchange({ status: 200, method, ...sent });
  const after = polls.slice(0, inTrial.length);
  const trial = { jobId: job.issuedId ?? "", before, cancel, submission: job.submission, after };
  const none = { running: [], terminal: [], methodUnknown: false, exhausted: false };
  const found = judgeCancels({ queued: [trial], ...none }, TIMES, [job]);
  return found.find(({ promise }) => promise === "cancel.queued")?.verdict ?? "";
}

describe("a queued job that was cancelled", () => {
  it.each<[State[]]>([[["running"]], [["cancelled", "completed"]]])(
    "and that a later step sees %j has run",
    (later) => {
      expect(verdict(["cancelled", "cancelled"], later)).toBe("broken");
    },
  );

  it("stays so in later steps, too", () => {
    expect(verdict(["cancelled"], ["cancelled", "cancelled"])).toBe("kept");
  });
});

it("a request that cancels nothing is not credited with what comes later", () => {
  expect(verdict(["queued"], ["cancelled"])).toBe("inconclusive");
});

const NOTHING = { queued: [], running: [], terminal: [], methodUnknown: false, exhausted: false };

it.each([
  [{}, /all ran at once$/, /no job was seen running$/],
  [{ exhausted: true }, /all ran at once; the budget allows no more/, /running; the budget/],
  [{ isOutOfTime: true }, /time was over before a queued one/, /over before a running one was/],
])("why nothing was seen of cancelled jobs: %j", (difference, queued, running) => {
  const findings = judgeCancels({ ...NOTHING, ...difference }, TIMES);
  expect(findings.slice(0, 2).map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ["unobserved", expect.stringMatching(queued)],
    ["unobserved", expect.stringMatching(running)],
  ]);
});
