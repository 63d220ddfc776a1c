/**
 * Polls of accepted jobs that were answered with an error although the jobs were there: what is
 * promised is the job, in whichever state it is. Spec §4.4.
 */

import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess } from "../../requests/exchange.ts";
import type { Span } from "../../time/spans.ts";
import { groupsOf, joined } from "../../time/spans.ts";
import { AWAY_MS, OUTAGE_MS_MAX, PERSISTENT_ATTEMPTS, UNAUTHORIZED } from "../expected-status.ts";
import type { JobReading } from "./reading.ts";

/**
 * Not found is told of by itself; the others speak of the limit or of the connection.
 * RFC 9110 §15.5.9, §15.5.20.
 */
const NOT_OF_THE_JOB = [404, 408, 410, 421, 429];

/**
 * Refusals that come again, with good answers in between; and failures for as long as no accident
 * takes, each job's for some seconds, while others are read well.
 */
export function unreadable(readings: readonly JobReading[]): ReadonlySet<Exchange> {
  const refused = readings.flatMap(refusalsOf);
  const failed = readings.flatMap(failuresOf);
  if (refused.length + failed.length === 0) return new Set();
  const good = readings.flatMap(({ history }) => history.polls.filter(isSuccess));
  const isAmidGood = (some: readonly Exchange[]) => good.some((poll) => isWithin(poll, some));
  const telling = failed.filter(isAmidGood);
  return new Set([
    ...(spanMs(refused) > OUTAGE_MS_MAX && isAmidGood(refused) ? refused : []),
    ...(lastingMs(telling) >= AWAY_MS ? telling.flat() : []),
  ]);
}

/** Of a job that another poll showed. */
function refusalsOf({ history: { polls } }: JobReading): readonly Exchange[] {
  if (!polls.some(isSuccess)) return [];
  return polls.filter((poll) => {
    const isOther = hasFailed(poll) || NOT_OF_THE_JOB.includes(poll.status);
    // Nobody asked for a job only if it is another one than before, nor for where else it is.
    return poll.status >= 300 && !isOther;
  });
}

/** By itself, or for want of its store of keys: machines are restarted one by one. */
function hasFailed({ status }: Exchange): boolean {
  return status >= 500 || status === UNAUTHORIZED;
}

/** Stretches of polls that all failed, and are too many for an accident. */
function failuresOf({ history: { polls } }: JobReading): readonly (readonly Exchange[])[] {
  if (!polls.some(hasFailed)) return [];
  const stretches = groupsOf(polls, (next, before) => hasFailed(next) !== hasFailed(before));
  return stretches.filter((each) => {
    const isLong = each.length >= PERSISTENT_ATTEMPTS && spanMs(each) > OUTAGE_MS_MAX;
    return isLong && each.every(hasFailed);
  });
}

/** How long one of them or another lasted. */
function lastingMs(stretches: readonly (readonly Exchange[])[]): number {
  return joined(stretches.map(spanOf)).reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
}

function spanMs(some: readonly Exchange[]): number {
  const { fromMs, toMs } = spanOf(some);
  return toMs - fromMs;
}

/** From the first answer to the last request. */
function spanOf(some: readonly Exchange[]): Span {
  const fromMs = leastOf(some.map(({ receivedAtMs }) => receivedAtMs));
  return { fromMs, toMs: mostOf(some.map(({ sentAtMs }) => sentAtMs)) };
}

/** Asked for after the first of those was answered, and answered before the last was asked for. */
function isWithin({ sentAtMs, receivedAtMs }: Exchange, some: readonly Exchange[]): boolean {
  const { fromMs, toMs } = spanOf(some);
  return sentAtMs > fromMs && receivedAtMs < toMs;
}
