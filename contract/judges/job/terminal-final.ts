/** Judges that an ended job stays as it is, in all that it tells of itself. Spec §3.1, §3.2. */

import { isEmpty } from "../../decode/decoded.ts";
import type { FileEntry, Job, JobCost } from "../../decode/job-types.ts";
import type { Seen } from "../../judging/claim.ts";
import { countText } from "../../numbers/figures.ts";
import { isBefore } from "../../requests/exchange.ts";
import { writtenMs } from "../../time/timestamps.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { firstEnd, statePolls, VIEW_LAG_MS } from "./reading.ts";
import { isSameJson } from "./same-json.ts";
import { judgeSampled } from "./sample.ts";
import { lacksCost } from "./shape.ts";

/** What a cancel request may have done to an ended job is left to cancel.not-terminal. */
export function judgeTerminalFinal(readings: readonly JobReading[]): Finding {
  const pairs = readings.flatMap(endPairs);
  const faults = pairs.flatMap(({ earlier, later }): Seen[] => {
    const [first] = earlier.flatMap(({ job, exchange }): Seen[] => {
      const change = changeOf(job, later.job);
      return change === null ? [] : [{ what: change, exchanges: [exchange, later.exchange] }];
    });
    return first === undefined ? [] : [first];
  });
  return judgeSampled({
    promise: "job.terminal-final",
    faults,
    samples: pairs.length,
    kept: `${countText(pairs.length, "later poll")} of ended jobs, none changed`,
    without: "no job was polled again after its end",
  });
}

/** A poll of an ended job, and what was shown before: its end, and what it cost if told later. */
interface LaterPoll {
  earlier: readonly StatePoll[];
  later: StatePoll;
}

function endPairs(reading: JobReading): readonly LaterPoll[] {
  const end = firstEnd(reading);
  if (end === null) return [];
  const { cancelRequests } = reading.history;
  // Of a job that was cancelled as asked, what becomes of its state is cancel.queued's.
  const isCancelled = end.job.state === "cancelled" && cancelRequests.length > 0;
  const seenAtMs = end.exchange.receivedAtMs;
  const cancel = cancelRequests.find(({ sentAtMs }) => sentAtMs > seenAtMs);
  const untilMs = cancel?.sentAtMs ?? Number.POSITIVE_INFINITY;
  const rest = statePolls(reading)
    .filter((poll) => poll !== end && isBefore(end.exchange, poll.exchange))
    .filter((poll) => poll.exchange.receivedAtMs <= untilMs)
    .filter((poll) => !isCancelled || poll.job.state === "cancelled");
  const told = lacksCost(end.job) ? rest.find(({ job }) => !lacksCost(job)) : undefined;
  return rest.map((later) => {
    const isTold = told !== undefined && isBefore(told.exchange, later.exchange);
    return { earlier: isTold && !mayLag(told, later) ? [end, told] : [end], later };
  });
}

/** Another view of the job may tell its cost a little later than the one that told it first. */
function mayLag({ exchange }: StatePoll, later: StatePoll): boolean {
  return lacksCost(later.job) && later.exchange.sentAtMs - exchange.receivedAtMs <= VIEW_LAG_MS;
}

function changeOf(end: Job, later: Job): string | null {
  if (end.state !== later.state) {
    return `an ended job went from ${end.statusText} to ${later.statusText}`;
  }
  if (hasOtherResult(end, later)) {
    return `the result of a job changed after its end (${end.statusText})`;
  }
  const part = COST_PARTS.find(
    (name) => end.cost[name] !== null && end.cost[name] !== later.cost[name],
  );
  if (part !== undefined) {
    return `the cost of an ended job went from ${end.cost[part]} to ${later.cost[part]} (${part})`;
  }
  return errorChange(end, later) ?? timeChange(end, later) ?? filesChange(end, later);
}

/** An output that is said to be empty stays so; what tells of the run beside it may follow. */
function hasOtherResult(end: Job, later: Job): boolean {
  if (end.result === null) return end.output !== null && !isEmpty(later.result);
  return !isSameJson(end.output ?? end.result, later.output ?? later.result);
}

/** A message may be worded anew, as in another language; a code is what programs go by. */
function errorChange({ error: end }: Job, { error: later }: Job): string | null {
  if (end === null) return null;
  if (later === null) return `the error of an ended job (${end.code}) is gone`;
  if (end.code === later.code) return null;
  return `the error of an ended job went from ${end.code} to ${later.code}`;
}

/** The first of a job's times that differs. Another view may tell fewer digits of the same time. */
export function timeChange(end: Job, later: Job): string | null {
  for (const name of TIMES) {
    const [first, then] = [end[name], later[name]];
    if (first === null) continue;
    if (then === null) return `an ended job no longer has its ${WORDS[name]}`;
    if (Math.abs(first.ms - then.ms) <= Math.max(writtenMs(first), writtenMs(then))) continue;
    return `the ${WORDS[name]} of an ended job went from ${first.text} to ${then.text}`;
  }
  return null;
}

const TIMES = ["startedAt", "finishedAt"] as const;
const WORDS = { startedAt: "start", finishedAt: "end" } as const;

/**
 * Their addresses are signed anew for each answer, and they have no order. That there are none is
 * final only where the job completed: what one that ended otherwise leaves behind is open.
 * Spec §2.5, §2.7.
 */
export function filesChange(end: Job, later: Job): string | null {
  if (end.files === null) return null;
  if (end.files.length === 0 && end.state !== "completed") return null;
  if (isSameJson(byId(end.files), byId(later.files ?? []))) return null;
  return `the files of an ended job changed (${end.files.length} at first)`;
}

function byId(files: readonly FileEntry[]): readonly FileEntry[] {
  const keyOf = ({ id, name }: FileEntry) => JSON.stringify([id, name]);
  return [...files].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** A part that had no value at first and has one later was settled, not changed. */
const COST_PARTS: readonly (keyof JobCost)[] = [
  "credits",
  "totalUsd",
  "runUsd",
  "infraUsd",
  "billingMode",
];
