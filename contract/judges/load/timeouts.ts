/** Judges the jobs of a soak that run into their worker's limit. Spec §1.4, §2.3, §8. */

import type { Finding } from "../../verdict.ts";
import { inconclusive, kept, unobserved } from "../../verdict.ts";
import type { TimedOutJob } from "../timeout/timed-out-job.ts";
import type { Offences } from "./offences.ts";
import { addOffence, brokenBy, noOffences } from "./offences.ts";

/** All jobs that should have timed out, one after the other; times are not kept. */
export interface TimeoutTally {
  judged: number;
  timedOut: number;
  /** Wrong in what no lag explains: the state reached, or the charge. */
  wrong: Offences;
  /** Early or late beyond the tolerance and the lag. */
  mistimed: Offences;
  /** Early or late by less than the suite's own lag. */
  doubtful: number;
}

/**
 * Ours: on a target whose clocks run fast a few milliseconds of a busy machine are seconds of the
 * stated time, so a limit is off only where it is so for more than a few of the jobs.
 */
const SCALED_SHARE_MIN = 0.1;
const SCALED_JOBS_MIN = 2;

export function newTimeoutTally(): TimeoutTally {
  return {
    judged: 0,
    timedOut: 0,
    wrong: noOffences(),
    mistimed: noOffences(),
    doubtful: 0,
  };
}

export function addTimedOutJob(tally: TimeoutTally, job: TimedOutJob): void {
  const { fires, notEarly, notLate, free, history } = job;
  const exchanges = [history.submission, ...history.polls.slice(-1)];
  const offend = (offences: Offences, what: string) =>
    addOffence(offences, { what: `${history.issuedId}: ${what}`, exchanges });
  tally.judged += 1;
  if (job.end === "timeout") tally.timedOut += 1;
  for (const opinion of [fires, free]) {
    if (opinion?.outcome === "broken") offend(tally.wrong, opinion.what);
  }
  for (const opinion of [notEarly, notLate]) {
    if (opinion?.outcome === "broken") offend(tally.mistimed, opinion.what);
    if (opinion?.outcome === "doubtful") tally.doubtful += 1;
  }
}

export function judgeTimeoutsUnderLoad(
  tally: TimeoutTally,
  isScaled: boolean,
  without: string,
): Finding {
  const promise = "timeout.under-load";
  const { judged, timedOut, wrong, mistimed, doubtful } = tally;
  if (judged === 0) return unobserved(promise, without);
  const evidence = { judged, timedOut, mistimed: mistimed.count, doubtful };
  if (wrong.count > 0) return brokenBy(promise, wrong, evidence);
  const needed = isScaled ? Math.max(SCALED_JOBS_MIN, judged * SCALED_SHARE_MIN) : 1;
  if (mistimed.count >= needed) return brokenBy(promise, mistimed, evidence);
  const strayed = mistimed.count + doubtful;
  if (strayed > judged * (isScaled ? SCALED_SHARE_MIN : 0)) {
    const reason = `${strayed} of ${judged} timed-out jobs were off by about the machine's own lag`;
    return inconclusive(promise, reason, { evidence });
  }
  if (timedOut === 0) {
    return inconclusive(promise, "none of the jobs reached its limit", { evidence });
  }
  return kept(promise, `${timedOut} jobs timed out in time and free of charge`, { evidence });
}
