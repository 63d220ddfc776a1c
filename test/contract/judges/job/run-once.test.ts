/** A second run of a job, by its states and by how long it says that it ran. */

import { expect, it } from "vitest";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { judgeRunOnce } from "../../../../contract/judges/job/run-once.ts";
import { iso, pollsTo, run } from "./fixtures.ts";

const WAITING_AGAIN = [
  { state: "running", at: 1_000 },
  { state: "queued", at: 3_000 },
  { state: "running", at: 5_000 },
  ...pollsTo("completed").slice(3),
] as const;

function verdictOf(durationMs: number): string {
  const histories = run({
    variant: "A",
    ends: ["completed"],
    polls: { completed: WAITING_AGAIN },
    edit: (body, { state }) => {
      if (state === "completed") body.duration_ms = durationMs;
    },
  });
  return judgeRunOnce(readHistories(histories)).verdict;
}

it("a job that waits again and tells of a run since then ran twice", () => {
  expect(verdictOf(1_500)).toBe("broken");
});

it("a view that goes back leaves a run as long as it was seen, and is no second one", () => {
  expect(verdictOf(4_500)).toBe("kept");
});

/** A job of variant B that states another start in its first poll after the queue. */
function verdictOfStart(first: "starting" | "running", earlierMs: number): string {
  const polls = pollsTo("completed").map((poll, at) =>
    at === 1 ? { ...poll, state: first } : poll,
  );
  const histories = run({
    variant: "B",
    ends: ["completed"],
    polls: { completed: polls },
    edit: ({ timestamps }, { index }) => {
      if (index !== 1) return;
      timestamps.started_at = iso(Date.parse(timestamps.started_at) - earlierMs);
    },
  });
  return judgeRunOnce(readHistories(histories)).verdict;
}

it("a start that is told while the job starts up may be put right", () => {
  expect(verdictOfStart("starting", 1_800)).toBe("kept");
});

it("a start that is told while the job runs stays what it is", () => {
  expect(verdictOfStart("running", 1_800)).toBe("broken");
});
