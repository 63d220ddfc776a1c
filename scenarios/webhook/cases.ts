/** Which jobs are submitted, and how their webhooks are answered. */

import type { AnswerStep } from "../../contract/delivery.ts";
import { ANSWER_OK as OK } from "../../contract/delivery.ts";
import type { CaseKind } from "../../contract/judges/webhook/case.ts";
import { SILENCE_MS } from "../../contract/judges/webhook/waits.ts";
import { ownMs } from "../../contract/promised-times.ts";
import type { Part, RunPlan } from "../../contract/run-plan.ts";
import {
  WEBHOOK_ANSWER_LIMIT_MS,
  WEBHOOK_RETRY_WAITS_MS,
} from "../../contract/webhook-schedule.ts";

export interface CaseSpec {
  kind: CaseKind;
  part: Part;
  script: readonly AnswerStep[];
  /** How long the receiver is watched after the first delivery. */
  watchMs: number;
  /** And after the fourth, should that come sooner; null where no fourth is expected. */
  silenceMs: number | null;
}

const ERROR: AnswerStep = { kind: "status", status: 500, delayMs: 0 };
const NOT_FOUND: AnswerStep = { kind: "status", status: 404, delayMs: 0 };

/** A repetition after the first or the second wait would be seen. */
const ONCE_WATCH_MS = 36_000;
/** Ours: late retries are still seen as late ones. */
const LATE_SHARE = 1.15;
const MARGIN_MS = 6_000;
/** Ours: by so much the silence is watched for longer than it has to last. */
const SILENCE_MARGIN_MS = 1_000;

const [FIRST_WAIT_MS, SECOND_WAIT_MS, THIRD_WAIT_MS] = WEBHOOK_RETRY_WAITS_MS;
const LADDER_MS = (FIRST_WAIT_MS + SECOND_WAIT_MS + THIRD_WAIT_MS) * LATE_SHARE;
/** Ours: what counts as in time and as too late, a second from the limit of Spec §6. */
const IN_TIME_MS = WEBHOOK_ANSWER_LIMIT_MS - 1_000;
const TOO_LATE_MS = WEBHOOK_ANSWER_LIMIT_MS + 1_000;

/** A kind of case, how often, and how long it is watched in stated time. */
type Row = readonly [number, CaseKind, Part, readonly AnswerStep[], number];

/** What is submitted together. */
export type Round = readonly CaseSpec[];

/** Those that say something however short their jobs are; what tells most comes first. */
export function promptSpecs(plan: RunPlan): readonly Round[] {
  const slowly = (ms: number): AnswerStep => ({ ...OK, delayMs: ownMs(plan.times, ms) });
  const rows: readonly Row[] = [
    [3, "ladder", "success", [ERROR], LADDER_MS + SILENCE_MS + MARGIN_MS],
    [3, "first", "success", [OK], ONCE_WATCH_MS],
    [3, "too-late", "success", [slowly(TOO_LATE_MS), OK], ONCE_WATCH_MS],
    [3, "in-time", "success", [slowly(IN_TIME_MS)], ONCE_WATCH_MS],
    [2, "recovery", "success", [ERROR, OK], FIRST_WAIT_MS * LATE_SHARE + ONCE_WATCH_MS],
    [2, "silent", "success", [{ kind: "silent" }, OK], ONCE_WATCH_MS],
    [2, "first", "failure", [OK], ONCE_WATCH_MS],
    [2, "not-found", "success", [NOT_FOUND, OK], ONCE_WATCH_MS],
    [2, "reset", "success", [{ kind: "reset" }, OK], ONCE_WATCH_MS],
    [1, "recovery", "success", [ERROR, ERROR, OK], LADDER_MS + MARGIN_MS],
    [1, "recovery", "success", [ERROR, ERROR, ERROR, OK], LADDER_MS + ONCE_WATCH_MS],
  ];
  // The first one alone: what a service does for the first time takes it longer.
  return [
    ...inRounds(plan, [[1, "first", "success", [OK], ONCE_WATCH_MS]]),
    ...inRounds(plan, rows),
  ];
}

/** All at once, as they share the port that refuses. */
export function refusedSpecs(plan: RunPlan): Round {
  if (plan.receiver?.refusingUrl == null) return [];
  return inRounds(plan, [[3, "refused", "success", [OK], ONCE_WATCH_MS]]).flat();
}

/** Ours: slow jobs in one volley, so that the last of them must queue and can be cancelled. */
const VOLLEY_JOBS = 12;

/** Jobs that run for long enough to be met before their end: a webhook must not come sooner. */
export function lastingSpecs(plan: RunPlan): Round {
  return inRounds(plan, [
    [VOLLEY_JOBS, "first", "slow", [OK], ONCE_WATCH_MS],
    [2, "first", "timeout", [OK], ONCE_WATCH_MS],
  ]).flat();
}

/** The same again, twice as many, where nobody had to queue. */
export function largerVolley(plan: RunPlan): Round {
  return inRounds(plan, [[2 * VOLLEY_JOBS, "first", "slow", [OK], ONCE_WATCH_MS]]).flat();
}

/** One of each row, then a second of each that has several: a small budget ends anywhere. */
function inRounds(plan: RunPlan, rows: readonly Row[]): readonly Round[] {
  const possible = rows.filter(([, , part]) => plan.workers[part] !== undefined);
  const most = Math.max(0, ...possible.map(([count]) => count));
  return Array.from({ length: most }, (_, round) =>
    possible.filter(([count]) => round < count).map((row) => specOf(plan, row)),
  );
}

/** The rounds as far as there is room for their cases. */
export function within(rounds: readonly Round[], room: number): readonly Round[] {
  let left = room;
  return rounds.map((round) => {
    const taken = round.slice(0, left);
    left -= taken.length;
    return taken;
  });
}

function specOf({ times }: RunPlan, [, kind, part, script, watchMs]: Row): CaseSpec {
  const silenceMs = kind === "ladder" ? ownMs(times, SILENCE_MS + SILENCE_MARGIN_MS) : null;
  return { kind, part, script, watchMs: ownMs(times, watchMs), silenceMs };
}

/** How many jobs of each sort a budget has room for. */
export interface Room {
  prompt: number;
  lasting: number;
  unasked: number;
}

/** Ours: shares of a budget that has no room for all. */
const LASTING_SHARE = 0.3;
const UNASKED_SHARE = 0.05;
const UNASKED_JOBS = 3;
/** Ours: with fewer, each tells more with a webhook. */
const FEW_JOBS = 4;

/** `left`: jobs that may be submitted; Infinity where there is no ceiling. */
export function roomIn(left: number, lasting: number): Room {
  const unasked = left < FEW_JOBS ? 0 : Math.min(UNASKED_JOBS, Math.ceil(left * UNASKED_SHARE));
  const forLasting = Math.min(lasting, Math.floor(left * LASTING_SHARE));
  return { prompt: Math.max(0, left - unasked - forLasting), lasting: forLasting, unasked };
}
