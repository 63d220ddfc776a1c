/** Judges that an accepted job stays readable and ends. Spec §3.1, §4.4. */

import type { JobHistory } from "../../jobs/job-history.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import { countText, secondsText } from "../../numbers/figures.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { errorText, isDisturbed, isGone, isSuccess } from "../../requests/exchange.ts";
import { isWaiting } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import type { JobReading, StatePoll } from "./reading.ts";
import { firstEnd, LONGEST_VIEW_LAG_MS, statePolls, VIEW_LAG_MS } from "./reading.ts";
import { judgeSampled } from "./sample.ts";
import { unreadable } from "./unreadable.ts";

/** Ours: a job is gone when it was not found twice, this far apart, and never again after. */
const GONE_SPAN_MS = 1_000;

/** Ours: later jobs, each alone with a waiting one, after which no order explains the wait. */
export const TURNS_ENOUGH = 3;

interface Fate {
  kind: "ended" | "lost" | "doubtful" | "unfollowed";
  what: string;
  exchanges: readonly Exchange[];
}

const UNFOLLOWED: Fate = { kind: "unfollowed", what: "", exchanges: [] };

/** What an operator asks of jobs beyond the specification. */
export interface JobLimits {
  /** From the acceptance of a job to its end, on the observer's clock; null: not judged. */
  endWithinMs: number | null;
}

export function judgeNeverLost(readings: readonly JobReading[], limits: JobLimits): Finding {
  const followed = readings.filter(({ history }) => history.issuedId !== null);
  const recurring = new Set(recurringMisses(followed));
  const unread = unreadable(followed);
  const fates = followed.map((reading) => {
    const told = overdue(reading, limits.endWithinMs) ?? unreadFate(reading, unread);
    return told ?? fateOf(reading, followed, recurring);
  });
  const of = (kind: Fate["kind"]) => fates.filter((fate) => fate.kind === kind);
  const [lost, doubtful, ended] = [of("lost"), of("doubtful"), of("ended").length];
  return judgeSampled({
    promise: "job.never-lost",
    faults: lost,
    open: doubtful,
    samples: ended + lost.length,
    kept: `${countText(ended, "accepted job")} reached a terminal state and stayed readable`,
    without: "no job was followed to its end",
    evidence: { ended },
  });
}

function fateOf(
  reading: JobReading,
  all: readonly JobReading[],
  recurring: ReadonlySet<Exchange>,
): Fate {
  const gone = goneAtLast(reading.history.polls);
  if (isConfirmed(reading.history, gone)) {
    return { kind: "lost", what: "an accepted job is no longer found", exchanges: gone };
  }
  const blinked = vanishedBetween(reading.history.polls);
  if (isConfirmed(reading.history, blinked)) {
    const what = "a job that existed was not found for a while";
    return { kind: "lost", what, exchanges: blinked };
  }
  const missed = missesOf(reading.history).filter((poll) => recurring.has(poll));
  if (missed.length > 0) {
    return { kind: "lost", what: missedText(reading.history, missed), exchanges: missed };
  }
  if (gone.length > 0) {
    const what = "the last polls did not find a job, but they are too few to be sure";
    return { kind: "doubtful", what, exchanges: gone };
  }
  if (firstEnd(reading) !== null) return { kind: "ended", what: "ended", exchanges: [] };
  return fateOfUnended(reading, all);
}

/** Open at the last poll, which came too late for any view to lag behind by as much. */
function overdue(reading: JobReading, endWithinMs: number | null): Fate | null {
  const { history, polls } = reading;
  const last = statePolls(reading).at(-1);
  if (endWithinMs === null || last === undefined || last !== polls.at(-1)) return null;
  if (firstEnd(reading) !== null) return null;
  const openMs = last.exchange.sentAtMs - history.submission.receivedAtMs;
  if (openMs <= endWithinMs + VIEW_LAG_MS) return null;
  const what =
    `a job was ${last.job.statusText} ${secondsText(openMs, 1)} after it was accepted; ` +
    `tolerated ${endWithinMs / 1_000} s`;
  return { kind: "lost", what, exchanges: [history.submission, last.exchange] };
}

function unreadFate({ history }: JobReading, unread: ReadonlySet<Exchange>): Fate | null {
  const exchanges = history.polls.filter((poll) => unread.has(poll));
  const [first] = exchanges;
  if (first === undefined) return null;
  const what =
    `${countText(exchanges.length, "poll")} of a job that was there got ${first.status}, ` +
    "and others were answered in between; promised the job";
  return { kind: "lost", what, exchanges };
}

/** Replicas may not know a new job yet, each by itself, for as long as views may lag. */
function isConfirmed({ submission }: JobReading["history"], gone: readonly Exchange[]): boolean {
  const [first, last] = [gone[0], gone.at(-1)];
  if (first === undefined || last === undefined) return false;
  if (last.sentAtMs <= submission.receivedAtMs + VIEW_LAG_MS) return false;
  return last.sentAtMs - first.sentAtMs >= GONE_SPAN_MS;
}

/** The polls that did not find the job, after the last that did. */
export function goneAtLast(polls: readonly Exchange[]): readonly Exchange[] {
  const lastFound = polls.findLastIndex(isSuccess);
  return polls.slice(lastFound + 1).filter(isGone);
}

/** The polls that did not find a job that had been found before and was again later. */
function vanishedBetween(polls: readonly Exchange[]): readonly Exchange[] {
  const first = polls.findIndex(isSuccess);
  return polls.slice(first, polls.findLastIndex(isSuccess)).filter(isGone);
}

/** The polls before the first that found the job. */
function unknownAtFirst(polls: readonly Exchange[]): readonly Exchange[] {
  return polls.slice(0, Math.max(0, polls.findIndex(isSuccess))).filter(isGone);
}

/** Polls that did not find a job which others found, long after any replica knew it. */
export function missesOf({ polls, submission }: JobHistory): readonly Exchange[] {
  const knownFromMs = submission.receivedAtMs + LONGEST_VIEW_LAG_MS;
  const isMiss = (poll: Exchange) => isGone(poll) && poll.sentAtMs > knownFromMs;
  return polls.some(isSuccess) ? polls.filter(isMiss) : [];
}

function missedText({ polls, submission }: JobHistory, missed: readonly Exchange[]): string {
  const unknown = unknownAtFirst(polls);
  if (!missed.some((poll) => unknown.includes(poll))) {
    return "a job that existed was not found by a poll, and others were not by later ones";
  }
  const lateMs = (unknown.at(-1)?.sentAtMs ?? 0) - submission.receivedAtMs;
  return `a job was not found ${secondsText(lateMs, 1)} after it was accepted; promised the job`;
}

/**
 * One, or all polls of one time, may be an accident on the way, as a gateway has without a service
 * behind it; what comes again after good answers is none.
 */
function recurringMisses(readings: readonly JobReading[]): readonly Exchange[] {
  const misses = readings.flatMap(({ history }) => missesOf(history));
  const firstMs = leastOf(misses.map(({ receivedAtMs }) => receivedAtMs));
  const lastMs = mostOf(misses.map(({ sentAtMs }) => sentAtMs));
  const isGood = (poll: Exchange) =>
    isSuccess(poll) && poll.sentAtMs > firstMs && poll.receivedAtMs < lastMs;
  const isAgain = readings.some(({ history }) => history.polls.some(isGood));
  return isAgain && lastMs - firstMs >= GONE_SPAN_MS ? misses : [];
}

/** Ours: a job that came to run so shortly before its last poll is on its way, as others were. */
const JUST_BEGUN_MS = 10_000;

/** Of one that was polled once alone nobody knows since when it runs. */
function mayHaveBegun(polls: readonly StatePoll[]): boolean {
  if (polls.at(-1)?.job.state !== "running") return false;
  return polls.length === 1 || polls.some(({ job }) => job.state !== "running");
}

function fateOfUnended(reading: JobReading, all: readonly JobReading[]): Fate {
  const { history } = reading;
  const polls = statePolls(reading);
  const last = polls.at(-1);
  const isGivenUp = history.gaveUpAtMs !== null;
  if (last === undefined) return isGivenUp ? fateOfUnseen(reading) : UNFOLLOWED;
  // A status that the specification does not know is job.known-states' to judge.
  if (last !== reading.polls.at(-1)) return UNFOLLOWED;
  const stoodMs = last.exchange.sentAtMs - standsSince(reading, polls, last);
  const exchanges = [history.submission, last.exchange];
  const status = last.job.statusText;
  const lostAfterMs = history.lostAfterMs ?? null;
  const isStuck = lostAfterMs !== null && stoodMs > lostAfterMs;
  const isQueued = isWaiting(last.job.state);
  // No limit speaks of the time that a start-up takes. Spec §3.2.
  const isStartingUp = last.job.state === "starting";
  if (isStuck && !isStartingUp && (!isQueued || isPassedOver(reading, last, all))) {
    const what = `an accepted job did not end: ${status} for ${secondsText(stoodMs, 1)}`;
    return { kind: "lost", what, exchanges };
  }
  if (!isGivenUp) return UNFOLLOWED;
  const unread = history.polls.findLast(({ error }) => error === "unread");
  const unseen = unread ?? refusedAtLast(history.polls);
  if (unseen !== undefined) {
    const got = unread === undefined ? `status ${unseen.status}` : errorText(unread.error);
    const what = `a job was ${status}, and then polls got ${got}`;
    return { kind: "doubtful", what, exchanges: [history.submission, unseen] };
  }
  const haveEnded = all.some((each) => firstEnd(each) !== null);
  if (stoodMs < JUST_BEGUN_MS && mayHaveBegun(polls) && haveEnded) return UNFOLLOWED;
  const isOpen = isStuck || isQueued || isStartingUp || lostAfterMs === null;
  const why = isOpen
    ? ""
    : `, for ${secondsText(stoodMs)} so far (lost after ${secondsText(lostAfterMs)}),`;
  const openMs = last.exchange.sentAtMs - history.submission.receivedAtMs;
  const what =
    `a job was still ${status}${why} ${secondsText(openMs, 1)} after it was accepted, ` +
    "when the wait for its end was over";
  return { kind: "doubtful", what, exchanges };
}

/** As of a key that was revoked: the service answers, and shows the job no more. */
function refusedAtLast(polls: readonly Exchange[]): Exchange | undefined {
  const last = polls.at(-1);
  return last === undefined || isDisturbed(last) || isSuccess(last) ? undefined : last;
}

function fateOfUnseen({ history, polls }: JobReading): Fate {
  if (polls.length > 0) return UNFOLLOWED;
  const refused = history.polls.filter((poll) => !isDisturbed(poll));
  const unread = history.polls.find(({ error }) => error === "unread");
  const got =
    unread === undefined ? "no poll got a usable response" : `polls got ${errorText(unread.error)}`;
  const what = `a job could not be read: ${got}`;
  return { kind: "doubtful", what, exchanges: refused.length > 0 ? refused : history.polls };
}

/** Since when the job stands as it was last seen: first seen so, or running by its own times. */
function standsSince({ history }: JobReading, polls: readonly StatePoll[], last: StatePoll) {
  const change = polls.findLastIndex((poll) => poll.job.state !== last.job.state);
  const seenMs = polls[change + 1]?.exchange.receivedAtMs ?? last.exchange.receivedAtMs;
  const waitedMs = last.job.state === "running" ? waitToldMs(last.job) : null;
  if (waitedMs === null) return seenMs;
  const otherMs = polls[change]?.exchange.sentAtMs ?? 0;
  return Math.min(seenMs, Math.max(otherMs, history.submission.receivedAtMs + waitedMs));
}

/** From its submission to its start; no two clocks take part but the service's own. */
function waitToldMs({ createdAt, startedAt }: StatePoll["job"]): number | null {
  if (createdAt === null || startedAt === null) return null;
  const waitedMs = startedAt.ms - createdAt.ms;
  return Number.isFinite(waitedMs) ? Math.max(0, waitedMs) : null;
}

/**
 * Whether later jobs of the same worker had their turns one by one, each submitted when all others
 * had ended. That some overtook the job among others says nothing: a stack, shards and fair shares
 * are lawful while there is a backlog.
 */
function isPassedOver(reading: JobReading, last: StatePoll, all: readonly JobReading[]): boolean {
  const { workerId, submission } = reading.history;
  const lives = all
    .filter(({ history }) => history.workerId === workerId)
    .map((other) => ({
      fromMs: other.history.submission.sentAtMs,
      end: firstEnd(other),
      isWaiting: isWaitingStill(other),
    }));
  const turns = lives.filter(({ fromMs, end }) => {
    if (fromMs < submission.receivedAtMs || end === null) return false;
    if (end.job.state === "cancelled") return false;
    return (
      end.exchange.receivedAtMs <= last.exchange.sentAtMs &&
      lives.every((other) => {
        const endMs = other.end?.exchange.receivedAtMs ?? Number.POSITIVE_INFINITY;
        return other.fromMs >= fromMs || other.isWaiting || endMs <= fromMs;
      })
    );
  });
  return turns.length >= TURNS_ENOUGH;
}

/** Waits at the last poll: one that stands in the queue is no reason for another to wait. */
function isWaitingStill(reading: JobReading): boolean {
  const last = statePolls(reading).at(-1);
  return last !== undefined && isWaiting(last.job.state);
}
