/** Which jobs are submitted, and how their webhooks are answered. */

import type { AnswerStep } from "../../contract/jobs/delivery.ts";
import { isHeldBack, ANSWER_OK as OK } from "../../contract/jobs/delivery.ts";
import type { CaseKind } from "../../contract/judges/webhook/case.ts";
import { SILENCE_MS } from "../../contract/judges/webhook/silence.ts";
import type { Part, RunPlan } from "../../contract/run/run-plan.ts";
import { ownMs } from "../../contract/time/promised-times.ts";
import {
  WEBHOOK_ANSWER_LIMIT_MS,
  WEBHOOK_RETRY_WAITS_MS,
} from "../../contract/webhook-schedule.ts";

export interface CaseSpec {
  kind: CaseKind;
  part: Part;
  script: readonly AnswerStep[];
  /** Whether its URL has a query, without which it is another one. */
  inQuery: boolean;
  /** Whether that query is a long one, and has escapes; a service may refuse such an address. */
  hasLongQuery: boolean;
  /** Whether others of its kind have the same address, each attempt at which is answered alike. */
  sharesAddress: boolean;
  /** Nobody asks for its job before the delivery, or before it would have to have come. */
  isUnpolled: boolean;
  /** How long the receiver is watched after the first delivery. */
  watchMs: number;
  /** And after the fourth, should that come sooner; null where no fourth is expected. */
  silenceMs: number | null;
}

/** Ours: the others show whether a delivery comes at all, and is tried again. */
const IN_QUERY: readonly Part[] = ["list", "empty", "files", "failure"];
/** Ours: the first delivery and the first retry; longer scripts show what any retry does. */
const IN_QUERY_STEPS_MAX = 2;

/** The script of the one whose address is long: as short as any that is tried again. */
const AT_LONG_ADDRESS: readonly StepName[] = [500, 200];

/** Ours: all have it; an answer that never changes needs no count of a job's own attempts. */
const SHARING: Part = "success";
const SHARING_KINDS: readonly CaseKind[] = ["first", "ladder"];

/** They run so long that only a poll tells whether they have ended. */
const LASTING: Part = "slow";
/** Ours: of those that time out the others are polled; a limit may be noticed at a poll alone. */
const UNPOLLED_KINDS: readonly CaseKind[] = ["first", "ladder"];

/**
 * Steps of a script by short names: `late` answers 200 beyond 10 s, `slow` and `fair` within, as
 * does `lull`, whose body comes late.
 */
type StepName = number | "reset" | "silent" | "drip" | "late" | "slow" | "fair" | "lull";

/** Ours: what counts as in time and as too late, a second from the limit of Spec §6. */
const IN_TIME_MS = WEBHOOK_ANSWER_LIMIT_MS - 1_000;
/** Ours: in time as well where connecting and the way take the sender some seconds. */
const FAR_IN_TIME_MS = WEBHOOK_ANSWER_LIMIT_MS - 3_000;
const TOO_LATE_MS = WEBHOOK_ANSWER_LIMIT_MS + 1_000;
/** Ours: a sender that waits for a body has it well before the time for an answer is over. */
const DRIP_MS = 4_000;

/** Whether it takes up the time for an answer. */
function isLong(name: StepName): boolean {
  return typeof name === "string" && name !== "reset";
}

function stepOf({ times }: RunPlan, name: StepName): AnswerStep {
  if (name === "reset" || name === "silent") return { kind: name };
  if (name === "drip") return { ...OK, status: 500, bodyMs: ownMs(times, DRIP_MS) };
  if (name === "lull") return { ...OK, bodyMs: ownMs(times, DRIP_MS) };
  if (name === "late") return { ...OK, delayMs: ownMs(times, TOO_LATE_MS) };
  if (name === "fair") return { ...OK, delayMs: ownMs(times, FAR_IN_TIME_MS) };
  if (name === "slow") return { ...OK, delayMs: ownMs(times, IN_TIME_MS) };
  return { ...OK, status: name };
}

/** A repetition after the first or the second wait would be seen. */
const ONCE_WATCH_MS = 36_000;
/** Ours: late retries are still seen as late ones. */
const LATE_SHARE = 1.15;
const MARGIN_MS = 6_000;
/** Ours: so much longer is the silence watched than it has to last, as a late retry takes. */
const SILENCE_MARGIN_MS = 35_000;

/** A kind of case, the part that plays it, and a script for each job of them. */
type Row = readonly [CaseKind, Part, ...(readonly StepName[])[]];

/** What is submitted together. */
export type Round = readonly CaseSpec[];

/**
 * How attempts fail, on which of them, of which end and worker: each way to fail stands on each of
 * the three attempts that are followed by a wait, and with each end; not all with all. The first
 * of each row tells most.
 */
const PROMPT_ROWS: readonly Row[] = [
  ["ladder", "success", [500, 502, 403, 504], [302, 429, 404, "reset"], ["reset", 503, 307, 410]],
  ["first", "success", [200], [200]],
  ["too-late", "success", ["late", 200], ["late", 200], [501, "late", 200]],
  ["in-time", "success", ["slow"], ["fair"], [409, "slow"]],
  ["not-found", "success", [404, 200], [404, 307, 200]],
  ["reset", "success", ["reset", 200], ["reset", 303, 200]],
  ["recovery", "success", AT_LONG_ADDRESS, [410, "silent", 500, 200]],
  ["silent", "success", ["silent", 200], ["silent", 400, 429, 200]],
  ["recovery", "failure", [503, "lull"], [302, 404, 200], ["reset", 401, "silent", 200]],
  ["first", "failure", [200], [200]],
  ["ladder", "failure", [404, "reset", 302, 503]],
  ["recovery", "success", [429, "reset", 200], [301, "drip", 400, 200], [502, 410, "reset", 200]],
  ["recovery", "failure", [413, 429, 200], ["silent", 422, 404, 200]],
  ["recovery", "list", [400, "lull"], ["reset", 408, 301, 200]],
  ["recovery", "empty", [308, 503, 200], [415, 200]],
  ["recovery", "files", ["drip", 307, "drip", 200], [451, 200]],
  ["first", "list", [200]],
  ["first", "empty", [200]],
  ["first", "files", [200]],
  // Both at one address, as the late one.
  ["ladder", "success", [500], [500]],
];

/** Those that say something however short their jobs are; what tells most comes first. */
export function promptSpecs(plan: RunPlan): readonly Round[] {
  // The first one alone: what a service does for the first time takes it longer.
  return [...inRounds(plan, [["first", "success", [200]]]), ...inRounds(plan, PROMPT_ROWS)];
}

/**
 * Once all attempts for others at its address have failed for a while: by then a sender may have
 * given the address up, and the job's webhook is due all the same.
 */
export function lateSpecs(plan: RunPlan): Round {
  const { times } = plan;
  const watchMs = ownMs(times, WEBHOOK_RETRY_WAITS_MS[2] + ONCE_WATCH_MS);
  const specs = inRounds(plan, [["ladder", "success", [500]]]).flat();
  return specs.map((spec) => ({ ...spec, watchMs, silenceMs: null }));
}

/** All at once, as they share the port that refuses. */
export function refusedSpecs(plan: RunPlan): Round {
  if (plan.receiver?.refusingUrl == null) return [];
  return inRounds(plan, [["refused", "success", [200], [200], [200]]]).flat();
}

/** Ours: slow jobs in one burst, so that the last of them must queue and can be cancelled. */
const BURST_JOBS = 12;

/** The last ones are those that may be cancelled while they queue. */
const BURST_ROW: Row = [
  "recovery",
  "slow",
  [200],
  [504, 200],
  [200],
  [302, "reset", 200],
  [200],
  [402, 503, 410, 200],
  [200],
  ["reset", 429, 200],
  [200],
  [403, 405, 200],
  [302, "reset", 404, 200],
  [200],
];

const TIMEOUT_ROWS: readonly Row[] = [
  ["recovery", "timeout", [404, 302, "reset", 200]],
  ["recovery", "timeout", [429, "silent", 200]],
  ["first", "timeout", [200]],
  // An answer that is held back so late would hold up the webhooks of a load.
  ["ladder", "timeout", ["reset", 501, 404, 429]],
];

/** Jobs that run for long enough to be met before their end: a webhook must not come sooner. */
export function lastingSpecs(plan: RunPlan): Round {
  return [...burst(plan, BURST_JOBS), ...inRounds(plan, TIMEOUT_ROWS).flat()];
}

/** The same again, twice as many, where nobody had to queue. */
export function largerBurst(plan: RunPlan): Round {
  return burst(plan, 2 * BURST_JOBS);
}

function burst(plan: RunPlan, jobs: number): Round {
  const once = inRounds(plan, [BURST_ROW]).flat();
  return Array.from({ length: jobs }, (_, at) => once[at % once.length]).filter(
    (spec) => spec !== undefined,
  );
}

/** One of each row, then a second of each that has several: a small budget ends anywhere. */
function inRounds(plan: RunPlan, rows: readonly Row[]): readonly Round[] {
  const possible = rows.filter(([, part]) => plan.workers[part] !== undefined);
  const most = Math.max(0, ...possible.map(([, , ...scripts]) => scripts.length));
  return Array.from({ length: most }, (_, round) =>
    possible.flatMap(([kind, part, ...scripts]) => {
      const script = scripts[round];
      if (script === undefined) return [];
      const isTaken = script.length === 1 && script[0] === 200 && kind !== "refused";
      return [specOf(plan, isTaken ? "first" : kind, part, script)];
    }),
  );
}

/** Whether an answer is held back, so that its sender waits for it. */
export function holdsAnswers({ script }: CaseSpec): boolean {
  return script.some(isHeldBack);
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

function specOf(plan: RunPlan, kind: CaseKind, part: Part, names: readonly StepName[]): CaseSpec {
  const { times } = plan;
  const script = names.map((name) => stepOf(plan, name));
  const isWholeSchedule = kind === "ladder";
  const waits = WEBHOOK_RETRY_WAITS_MS.slice(0, isWholeSchedule ? undefined : names.length - 1);
  const slowMs = names.filter(isLong).length * WEBHOOK_ANSWER_LIMIT_MS;
  const retriedMs = waits.reduce((sum: number, ms) => sum + ms, 0) * LATE_SHARE + slowMs;
  const afterMs = isWholeSchedule ? SILENCE_MS + MARGIN_MS : ONCE_WATCH_MS;
  const silenceMs = isWholeSchedule ? ownMs(times, SILENCE_MS + SILENCE_MARGIN_MS) : null;
  const watchMs = ownMs(times, retriedMs + afterMs);
  const isFirst = kind === "first";
  const hasLongQuery = names === AT_LONG_ADDRESS;
  const inQuery = hasLongQuery || (IN_QUERY.includes(part) && names.length <= IN_QUERY_STEPS_MAX);
  const isUnpolled =
    part === "timeout" ? UNPOLLED_KINDS.includes(kind) : isFirst && part !== LASTING;
  const isOfSharers = part === SHARING && SHARING_KINDS.includes(kind);
  const sharesAddress = isOfSharers && names.length === 1;
  const seen = { isUnpolled, watchMs, silenceMs };
  return { kind, part, script, inQuery, hasLongQuery, sharesAddress, ...seen };
}

/** Of several workers and ends, one each in turn: each may have a way of its own to an address. */
const UNASKED_PARTS: readonly Part[] = ["success", "failure", "list"];

/** Parts of the jobs that are submitted without a webhook. */
export function unaskedParts({ workers }: RunPlan, count: number): readonly Part[] {
  const known = UNASKED_PARTS.filter((part) => workers[part] !== undefined);
  return Array.from({ length: count }, (_, at) => known[at % known.length]).filter(
    (part) => part !== undefined,
  );
}

/** Ours: shares of a budget that has no room for all. */
const LASTING_SHARE = 0.3;
const UNASKED_SHARE = 0.05;
const UNASKED_JOBS = 3;
/** Ours: with fewer, each tells more with a webhook. */
const FEW_JOBS = 4;

/**
 * How many jobs of each sort a budget has room for. `left`: jobs that may be submitted; Infinity
 * where there is no ceiling.
 */
export function roomIn(left: number, lasting: number) {
  const unasked = left < FEW_JOBS ? 0 : Math.min(UNASKED_JOBS, Math.ceil(left * UNASKED_SHARE));
  const forLasting = Math.min(lasting, Math.floor(left * LASTING_SHARE));
  return { prompt: Math.max(0, left - unasked - forLasting), lasting: forLasting, unasked };
}
