/** A second run of a job, by its states and by how long it says that it ran. */

import { expect, it } from "vitest";
import { readHistories } from "../../../../contract/judges/job/reading.ts";
import { judgeRunOnce, judgeStartedOnce } from "../../../../contract/judges/job/run-once.ts";
import { answer } from "../answers.ts";
import { INPUT_MARK, iso, pollsTo, run } from "./fixtures.ts";

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

const UNDATED = { job_uuid: "job_nobody_was_told", worker: "echo", result: { text: INPUT_MARK } };
const TWIN = { ...UNDATED, created_at: iso(1_000) };

it.each([
  ["with the mark of its input is listed: two jobs", TWIN, ["broken"]],
  ["of another worker, which may tell of others' jobs", { ...TWIN, worker: "rows" }, []],
  [
    "with two marks, which may tell of others' jobs",
    { ...TWIN, more: "plumbline-fedcba9876543210" },
    [],
  ],
  ["with that mark and no date: it may have been given the same", UNDATED, ["inconclusive"]],
  [
    "with that mark, accepted later: it was given the same",
    { ...TWIN, created_at: iso(4_000) },
    [],
  ],
  ["with another mark", { ...TWIN, result: { text: "plumbline-fedcba9876543210" } }, []],
] as const)("beside a job another %s", (_, twin, verdicts) => {
  const [history] = run({ variant: "A", ends: ["completed"] });
  if (history === undefined) throw new Error("a run without a job");
  const { issuedId, workerId } = history;
  const own = { ...TWIN, job_uuid: issuedId, worker: workerId, created_at: iso(0) };
  const other = twin.worker === "echo" ? { ...twin, worker: workerId } : twin;
  const listing = (jobs: readonly object[]) =>
    answer(200, { route: "jobs", body: JSON.stringify({ jobs }) });
  const found = (...jobs: object[]) =>
    judgeStartedOnce([history], [listing(jobs)]).map(({ verdict }) => verdict);
  expect(found(own, other)).toEqual(verdicts);
  // A list may have identifiers of its own.
  expect(found(other)).toEqual([]);
  expect(judgeStartedOnce([history, history], [listing([own, other])])).toEqual([]);
});
