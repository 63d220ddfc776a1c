/**
 * Polls of accepted jobs that were answered with an error although the jobs were there: what is
 * promised is the job, in whichever state it is. Spec §4.4.
 */

import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess } from "../../requests/exchange.ts";
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
  const stretches: Exchange[][] = [[]];
  for (const poll of polls) {
    if (hasFailed(poll)) stretches.at(-1)?.push(poll);
    else stretches.push([]);
  }
  return stretches.filter((each) => {
    return each.length >= PERSISTENT_ATTEMPTS && spanMs(each) > OUTAGE_MS_MAX;
  });
}

/** How long one of them or another lasted. */
function lastingMs(stretches: readonly (readonly Exchange[])[]): number {
  const times = stretches.map((each) => ({ from: fromMs(each), to: fromMs(each) + spanMs(each) }));
  let [lasting, reachedMs] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of times.sort((a, b) => a.from - b.from)) {
    lasting += Math.max(0, to - Math.max(from, reachedMs));
    reachedMs = Math.max(reachedMs, to);
  }
  return lasting;
}

function spanMs(some: readonly Exchange[]): number {
  return mostOf(some.map(({ sentAtMs }) => sentAtMs)) - fromMs(some);
}

function fromMs(some: readonly Exchange[]): number {
  return leastOf(some.map(({ receivedAtMs }) => receivedAtMs));
}

/** Asked for after the first of those was answered, and answered before the last was asked for. */
function isWithin({ sentAtMs, receivedAtMs }: Exchange, some: readonly Exchange[]): boolean {
  return sentAtMs > fromMs(some) && receivedAtMs < mostOf(some.map((each) => each.sentAtMs));
}
