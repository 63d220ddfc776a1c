/** Judges the jobs of a soak that run into their worker's limit. Spec §1.4, §2.3, §8. */

import type { Histogram } from "../../histogram.ts";
import { countAbove, quantileOf } from "../../histogram.ts";
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
  /** Jobs of which what is open decides whether they contradict a promise. */
  doubtful: number;
  /** Beyond the tolerance. */
  early: Offences;
  late: Offences;
}

/** A target whose clocks run fast: a few milliseconds of a busy machine are seconds there. */
export interface FastClock {
  /** How long short jobs said that they ran: the same timers, late for the same reasons. */
  shortRuns: Histogram;
  /** By how much a limit may be late, on our clocks. */
  lateMs: number;
  /** Why this machine can't tell how late anything is; null when it can. */
  doubt: string | null;
}

/** Ours: fewer than that may have met a hiccup of the machine. */
const STRAYED_SHARE = 0.1;
const STRAYED_JOBS_MIN = 2;
/** Ours: a stall of a busy machine makes several late at once; a limit that slips, most. */
const STALLED_SHARE = 0.25;
/** Ours: as good as undelayed. */
const UNDELAYED_QUANTILE = 0.05;
/** Ours: one false alarm in several hundred comparisons. */
const SIGMAS = 3;

export function newTimeoutTally(): TimeoutTally {
  return {
    judged: 0,
    timedOut: 0,
    doubtful: 0,
    wrong: noOffences(),
    early: noOffences(),
    late: noOffences(),
  };
}

export function addTimedOutJob(tally: TimeoutTally, job: TimedOutJob): void {
  const { fires, notEarly, notLate, free, history } = job;
  const exchanges = [history.submission, ...history.polls.slice(-1)];
  tally.judged += 1;
  if (job.end === "timeout") tally.timedOut += 1;
  if ([fires, notEarly, notLate].some((each) => each?.outcome === "doubtful")) tally.doubtful += 1;
  for (const [opinion, offences] of [
    [fires, tally.wrong],
    [free, tally.wrong],
    [notEarly, tally.early],
    [notLate, tally.late],
  ] as const) {
    if (opinion?.outcome !== "broken") continue;
    addOffence(offences, { what: `${history.issuedId}: ${opinion.what}`, exchanges });
  }
}

/** `clock` is null for a target in real time, whose tolerances are far above any lag. */
export function judgeTimeoutsUnderLoad(
  tally: TimeoutTally,
  clock: FastClock | null,
  without: string,
): Finding {
  const promise = "timeout.under-load";
  const { judged, timedOut, doubtful, wrong, early, late } = tally;
  if (judged === 0) return unobserved(promise, without);
  const evidence = { judged, timedOut, doubtful, early: early.count, late: late.count };
  if (wrong.count > 0) return brokenBy(promise, wrong, evidence);
  const needed = clock === null ? 1 : Math.max(STRAYED_JOBS_MIN, judged * STRAYED_SHARE);
  if (early.count >= needed) return brokenBy(promise, early, evidence);
  const isMany = clock === null || late.count >= judged * STALLED_SHARE;
  if (late.count >= needed && isMany && !isExplained(tally, clock)) {
    return brokenBy(promise, late, evidence);
  }
  const strayed = early.count + late.count;
  if (strayed > judged * STRAYED_SHARE) {
    const why = clock?.doubt ?? "the machine may have stood still, or short jobs ran late, too";
    const reason = `${strayed} of ${judged} jobs were not stopped in time; ${why}`;
    return inconclusive(promise, reason, { evidence });
  }
  if (doubtful > judged * STRAYED_SHARE) {
    const reason = "it is open whether starting up counts, and since when their runs are told";
    return inconclusive(
      promise,
      `${doubtful} of ${judged} jobs may not have been stopped in time; ${reason}`,
      { evidence },
    );
  }
  if (timedOut === 0) {
    return inconclusive(promise, "none of the jobs reached its limit", { evidence });
  }
  return kept(promise, `${timedOut} jobs timed out in time and free of charge`, { evidence });
}

/** Whether no more jobs are late than of those that no limit concerns. */
function isExplained({ judged, late }: TimeoutTally, clock: FastClock | null): boolean {
  if (clock === null) return false;
  if (clock.doubt !== null) return true;
  const { shortRuns, lateMs } = clock;
  const undelayedMs = quantileOf(shortRuns, UNDELAYED_QUANTILE) ?? 0;
  const share = countAbove(shortRuns, undelayedMs + lateMs) / Math.max(1, shortRuns.count);
  const spread = Math.sqrt(judged * share * (1 - share));
  return late.count <= judged * share + SIGMAS * spread;
}
