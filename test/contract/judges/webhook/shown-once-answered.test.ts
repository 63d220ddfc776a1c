/** Whether jobs whose ends are shown once their receivers answered are told from views that lag. */

import { describe, expect, it } from "vitest";
import type { AnswerStep } from "../../../../contract/jobs/delivery.ts";
import { seededUniform } from "../../../../contract/numbers/random.ts";
import { caseOf, FIRST_AT, NO_CASES, pollAt, runWith, webhookFinding } from "./healthy-run.ts";

const HELD: AnswerStep = { kind: "status", status: 200, delayMs: 9_000 };
const JOBS = { held: 7, taken: 18 } as const;
/** When a job is looked at, after its webhook came. */
const LOOKS_MS = [30, 5_060, 10_090, 15_120];

/** One whose end, of before its webhook, is shown so much later than that came. */
function shownLate(lateMs: number, script?: readonly AnswerStep[]) {
  const looks = LOOKS_MS.map((ms) => {
    const times = { sentAtMs: FIRST_AT + ms, receivedAtMs: FIRST_AT + ms + 10 };
    const state = ms >= lateMs ? "completed" : "running";
    return pollAt({ id: "job-x", state, endedMs: 900 }, times);
  });
  const ended = looks.findIndex((_, at) => (LOOKS_MS[at] ?? 0) >= lateMs);
  const seen = { looks: looks.slice(0, ended + 1), ...(script && { script }) };
  return caseOf(script === undefined ? "first" : "in-time", [0], seen);
}

function finding(heldMs: (at: number) => number, takenMs: (at: number) => number) {
  const held = Array.from({ length: JOBS.held }, (_, at) => shownLate(heldMs(at), [HELD]));
  const taken = Array.from({ length: JOBS.taken }, (_, at) => shownLate(takenMs(at)));
  const cases = { ...NO_CASES, first: () => taken, "in-time": () => held };
  return webhookFinding("webhook.not-before-terminal", runWith(cases));
}

describe("ends that are shown once the receiver has answered", () => {
  it("breaks the promise, and says which jobs showed it", () => {
    const { verdict, summary } = finding(
      () => 9_000,
      () => 1,
    );
    expect(verdict).toBe("broken");
    expect(summary).toMatch(/7 of 25 jobs: .* as 7 of 7 did whose receiver held .* 0 of 18 whose/);
  });

  it("breaks it where five of the seven jobs whose answers are held back show it", () => {
    const { verdict } = finding(
      (at) => (at < 5 ? 9_000 : 1),
      () => 1,
    );
    expect(verdict).toBe("broken");
  });

  it.each([
    ["all views lag behind by as much", () => 8_000, () => 8_000],
    ["no view lags behind by more than views may", () => 1_500, () => 1],
    [
      "two views of those held back lag behind, and none of the others",
      (at) => (at < 2 ? 9_000 : 1),
      () => 1,
    ],
  ] satisfies [string, (at: number) => number, (at: number) => number][])(
    "is silent where %s",
    (_title, heldMs, takenMs) => {
      expect(finding(heldMs, takenMs).verdict).toBe("kept");
    },
  );

  it("is silent where each job's view lags behind by chance, whatever the receiver does", () => {
    const broken = Array.from({ length: 30 }, (_, seed) => {
      const random = seededUniform(seed);
      const share = random();
      const lagMs = () => (random() < share ? 10_000 * random() : 1);
      return finding(lagMs, lagMs).verdict;
    }).filter((verdict) => verdict === "broken");
    expect(broken).toEqual([]);
  });
});
