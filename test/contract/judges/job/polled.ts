/** Jobs by the polls of them, for the judge of lost ones. */

import type { JobHistory } from "../../../../contract/jobs/job-history.ts";
import type { State } from "../../../../contract/states.ts";
import type { PollPlan } from "./fixtures.ts";
import { run, T0 } from "./fixtures.ts";

export function standing(state: State): readonly PollPlan[] {
  return [100, 2_000, 4_000, 6_000, 8_000, 9_900].map((at) => ({ state, at }));
}

/** Polls answered with that status, at those times. */
export function answered(status: number, ...ats: readonly number[]): readonly PollPlan[] {
  return ats.map((at) => ({ state: "running" as const, at, status }));
}

export function turnOf(id: string, ms: number, polls: readonly PollPlan[]): JobHistory {
  const [history] = run({ variant: "B", ends: ["completed"], polls: { completed: polls } });
  if (history === undefined) throw new Error("no history of a turn");
  return { ...submittedAfter(history, ms), issuedId: id };
}

export function submittedAfter(history: JobHistory, ms: number): JobHistory {
  const { submission } = history;
  const moved = { sentAtMs: T0 + ms, receivedAtMs: T0 + ms + 10 };
  return { ...history, issuedId: "another-job", submission: { ...submission, ...moved } };
}
