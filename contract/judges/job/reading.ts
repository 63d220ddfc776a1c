/** A job's history with every answer decoded once, as all judges of jobs read it. */

import type { Accepted } from "../../decode/accepted.ts";
import { decodeAccepted } from "../../decode/accepted.ts";
import type { Decoded } from "../../decode/decoded.ts";
import { decodeJob } from "../../decode/job.ts";
import type { Job, JobProblem } from "../../decode/job-types.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess, jsonBody } from "../../requests/exchange.ts";
import type { State, Variant } from "../../states.ts";
import { isTerminal } from "../../states.ts";
import { agreedBy } from "../../timeline/clock-offset.ts";
import type { Interval } from "../../timeline/interval.ts";
import { stampedAlone } from "../../timeline/observation.ts";

/** Ours: views of replicas and caches seldom lag behind by more. */
export const VIEW_LAG_MS = 2_000;
/** Ours: up to here what a view shows refutes nothing that the service says otherwise. */
export const LONGEST_VIEW_LAG_MS = 5_000;

/** One answer that showed the job, or should have: 2xx, whatever its body. */
export interface Poll {
  exchange: Exchange;
  job: Job | null;
  problems: readonly JobProblem[];
}

export interface JobReading {
  history: JobHistory;
  /** null when the submission was not accepted. */
  accepted: Decoded<Accepted> | null;
  /** In the order of sending. Disturbed and refused polls are not among them. */
  polls: readonly Poll[];
}

export function readHistories(histories: readonly JobHistory[]): readonly JobReading[] {
  return histories.map((history) => ({
    history,
    accepted: isSuccess(history.submission) ? decodeAccepted(jsonBody(history.submission)) : null,
    polls: history.polls.filter(isSuccess).map(readPoll),
  }));
}

/** Several judges read the same histories. */
const POLLS = new WeakMap<Exchange, Poll>();

function readPoll(exchange: Exchange): Poll {
  const poll = POLLS.get(exchange) ?? pollOf(exchange);
  POLLS.set(exchange, poll);
  return poll;
}

export function pollOf(exchange: Exchange): Poll {
  const { value, problems } = decodeJob(jsonBody(exchange));
  return { exchange, job: value, problems };
}

export interface StatePoll extends Poll {
  job: Job & { state: State };
}

/** The polls whose status text the specification knows. */
export function statePolls(reading: JobReading): readonly StatePoll[] {
  return ownPolls(reading).filter(
    (poll): poll is StatePoll => poll.job !== null && poll.job.state !== null,
  );
}

/**
 * One that shows another job tells nothing of this one, if others show this one: that it came is
 * job.same-id's.
 */
export function ownPolls({ polls, history: { issuedId } }: JobReading): readonly Poll[] {
  if (polls.every(({ job }) => job?.id !== issuedId)) return polls;
  return polls.filter(({ job }) => !namesAnother(job, issuedId));
}

/** Whether an answer calls itself by another identifier than the job's. Spec §2.5. */
export function namesAnother(job: Pick<Job, "id"> | null, issuedId: string | null): boolean {
  return job !== null && job.id !== null && job.id !== issuedId;
}

/**
 * Whether an answer is another job's, as of a proxy that mixes two up. What is named otherwise in
 * the same way again means this one.
 */
export function isAnothers(
  { job }: Pick<Poll, "job">,
  before: Pick<Poll, "job"> | undefined,
  issuedId: string | null,
): boolean {
  return namesAnother(job, issuedId) && job?.id !== before?.job?.id;
}

/** The first poll that saw the job ended; null when none did. */
export function firstEnd(reading: JobReading): StatePoll | null {
  return statePolls(reading).find((poll) => isTerminal(poll.job.state)) ?? null;
}

/** The polls up to the first that saw the job ended, which is the last of them. */
export function pollsToEnd(reading: JobReading): readonly StatePoll[] {
  const polls = statePolls(reading);
  const end = polls.findIndex((poll) => isTerminal(poll.job.state));
  return end === -1 ? polls : polls.slice(0, end + 1);
}

/** The variant of most job objects; the first one's when they are even, null without any. */
export function runVariant(readings: readonly JobReading[]): Variant | null {
  const variants = readings
    .flatMap((each) => each.polls)
    .flatMap((poll) => poll.job?.variant ?? []);
  const ofB = variants.filter((variant) => variant === "B").length;
  if (ofB * 2 === variants.length) return variants[0] ?? null;
  return ofB * 2 > variants.length ? "B" : "A";
}

/** Ours: start, end and duration are each rounded to a millisecond. */
export const ROUNDING_MS = 2;

/** Ours: what an answer may lag behind the job that it shows, and two clocks' rates may differ. */
const SLACK = { ms: 50, share: 0.01 } as const;

export function seenSlackMs(spanMs: number): number {
  return SLACK.ms + SLACK.share * Math.max(spanMs, 0);
}

/** How long it was seen running before its end, at the least. */
export function seenRunningMs(reading: JobReading): number {
  const running = pollsToEnd(reading).filter(({ job }) => job.state === "running");
  const [first, last] = [running[0], running.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return Math.max(0, last.exchange.sentAtMs - first.exchange.receivedAtMs);
}

/**
 * The greatest offset (service minus observer, ms) that agrees with the submission times: each was
 * written between the sending of its POST and the receipt of the answer. More than half of the
 * jobs must agree on an offset, so that a wrong time here and there does not decide; null if not.
 */
export function offsetAtMostMs(readings: readonly JobReading[]): number | null {
  const known = OFFSETS.get(readings);
  if (known !== undefined) return known;
  const agreed = agreedBy(readings.flatMap((reading) => windowOf(reading) ?? []));
  const offset = agreed?.highMs ?? null;
  OFFSETS.set(readings, offset);
  return offset;
}

/** Several judges ask for the offset of the same jobs. */
const OFFSETS = new WeakMap<readonly JobReading[], number | null>();

function windowOf(reading: JobReading): Interval | null {
  const seen = reading.polls.find((poll) => poll.job?.createdAt)?.job?.createdAt;
  const created = stampedAlone(reading.accepted?.value?.createdAt ?? seen ?? null);
  if (created === null) return null;
  const { sentAtMs, receivedAtMs } = reading.history.submission;
  return { lowMs: created.lowMs - receivedAtMs, highMs: created.highMs - sentAtMs };
}
