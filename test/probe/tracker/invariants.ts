/** What must hold of a job whatever happens, given the truth. */

import type { State } from "../../../contract/states.ts";
import { isTerminal } from "../../../contract/states.ts";
import type { Offset } from "../../../contract/timeline/clock-offset.ts";
import type { Interval } from "../../../contract/timeline/interval.ts";
import { endOf } from "../../../contract/timeline/track.ts";
import { entriesOf, transitionsOf } from "../../../contract/timeline/transitions.ts";
import type { Run } from "../../../probe/operation/runs/run.ts";
import type { History } from "./world.ts";

/** A simulated job as it is followed. */
export interface Followed {
  run: Run;
  readonly history: History;
  /** On the true clock. */
  readonly submittedMs: number;
  /** How far the probe's clock is ahead of true time: one entry an era. */
  readonly aheadMs: number[];
  /** Observations on disk. */
  readonly journal: string[];
  /** States whose entry was reported, and ends. */
  readonly reports: State[];
  readonly ends: State[];
  polls: number;
  latePolls: number;
  restarts: number;
  /** Number of the poll that is waited for. */
  turn: number;
  isSettled: boolean;
}

export function followed(
  run: Run,
  history: History,
  submittedMs: number,
  aheadMs: number,
): Followed {
  const counts = { polls: 0, latePolls: 0, restarts: 0, turn: 0 };
  const lists = { aheadMs: [aheadMs], journal: [], reports: [], ends: [] };
  return { run, history, submittedMs, ...lists, ...counts, isSettled: false };
}

/** Doubles that count milliseconds since 1970 are good for so much. */
const ROUNDING_MS = 0.01;

/**
 * What is wrong with what is known of the job. `wasSet`: the service's clock was set while the job
 * ran; what the service states of it is then not judged, as nobody can tell.
 */
export function problemsOf(
  job: Followed,
  offset: Offset | null,
  wasSet: boolean,
  lagMs: number,
): string[] {
  return [
    ...entryProblems(job, wasSet ? null : offset, lagMs),
    ...(wasSet ? [] : stayProblems(job, offset, lagMs)),
    ...once(job),
  ];
}

function entryProblems(job: Followed, offset: Offset | null, lagMs: number): string[] {
  const entries = entriesOf(job.run.track, offset, lagMs);
  return entries.flatMap(({ state, at, era, source }) => {
    const entered = job.history.find((entry) => entry.state === state);
    if (entered === undefined) return [`was never ${state}`];
    const atMs = entered.atMs + (job.aheadMs[era] ?? Number.NaN);
    return contains(at, atMs) ? [] : [`${state} (${source}) at ${atMs}, not in ${textOf(at)}`];
  });
}

function stayProblems(job: Followed, offset: Offset | null, lagMs: number): string[] {
  return transitionsOf(job.run.track, offset, lagMs).flatMap(({ from, to, stay, acrossGap }) => {
    const enteredMs = (state: State) =>
      job.history.find((entry) => entry.state === state)?.atMs ?? Number.NaN;
    const trueMs = enteredMs(to) - enteredMs(from);
    if (acrossGap || contains(stay, trueMs)) return [];
    return [`${from} for ${trueMs} before ${to}, not in ${textOf(stay)}`];
  });
}

function once({ run, reports, ends, history }: Followed): string[] {
  const twice = reports.filter((state, index) => reports.indexOf(state) !== index);
  const problems = twice.map((state) => `${state} reported twice`);
  if (ends.length > 1) problems.push(`ended ${ends.length} times`);
  const end = endOf(run.track);
  const wasSeen = run.track.polls.some(({ state }) => state === end && isTerminal(state));
  if (end !== null && (history.at(-1)?.state !== end || !wasSeen)) {
    problems.push(`taken for ${end} without evidence`);
  }
  return problems;
}

function contains({ lowMs, highMs }: Interval, ms: number): boolean {
  return lowMs - ROUNDING_MS <= ms && ms <= highMs + ROUNDING_MS;
}

function textOf({ lowMs, highMs }: Interval): string {
  return `${lowMs}..${highMs}`;
}
