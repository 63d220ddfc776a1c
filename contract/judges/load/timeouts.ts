/** Judges the jobs of a soak that run into their worker's limit. Spec §1.4, §2.3, §8. */

import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Passing } from "../passing.ts";
import { passingOf } from "../passing.ts";
import type { TimedOutJob } from "../timeout/timed-out-job.ts";
import type { Offences } from "./offences.ts";
import { addOffence, brokenBy, mergeOffences, noOffences } from "./offences.ts";

/** All jobs that should have timed out, one after the other; times are not kept. */
export interface TimeoutTally {
  judged: number;
  timedOut: number;
  /** Wrong in what no lag explains: the state reached, and the charge. */
  fires: Offences;
  free: Offences;
  /** Jobs of which what is open decides whether they contradict a promise. */
  doubtful: number;
  /** Beyond the tolerance. */
  early: Strayed;
  late: Strayed;
}

/** Jobs that were not stopped in time, and by how many ms at worst beyond what is tolerated. */
export interface Strayed extends Offences {
  beyondMsMax: number;
}

/** Ours: so many may be off by no more than the machine was late, or by what is open. */
const STRAYED_SHARE = 0.1;

export function newTimeoutTally(): TimeoutTally {
  return {
    judged: 0,
    timedOut: 0,
    doubtful: 0,
    fires: noOffences(),
    free: noOffences(),
    early: { ...noOffences(), beyondMsMax: 0 },
    late: { ...noOffences(), beyondMsMax: 0 },
  };
}

export function addTimedOutJob(tally: TimeoutTally, job: TimedOutJob): void {
  const { fires, notEarly, notLate, free, history } = job;
  const exchanges = [history.submission, ...history.polls.slice(-1)];
  tally.judged += 1;
  if (job.end === "timeout") tally.timedOut += 1;
  if ([fires, notEarly, notLate].some((each) => each?.outcome === "doubtful")) tally.doubtful += 1;
  const told = (what: string) => ({ what: `${history.issuedId}: ${what}`, exchanges });
  if (fires.outcome === "broken") addOffence(tally.fires, told(fires.what));
  if (free?.outcome === "broken") addOffence(tally.free, told(free.what));
  for (const [opinion, strayed] of [
    [notEarly, tally.early],
    [notLate, tally.late],
  ] as const) {
    if (opinion?.outcome !== "broken") continue;
    addOffence(strayed, told(opinion.what));
    strayed.beyondMsMax = Math.max(strayed.beyondMsMax, opinion.beyondMs ?? 0);
  }
}

/** `lagMs`: how late this machine may have made anything; a time beyond it is the service's. */
export function judgeTimeoutsUnderLoad(
  tally: TimeoutTally,
  lagMs: number,
  without: string,
): Finding {
  const promise = "timeout.under-load";
  const { judged, timedOut, doubtful, early, late } = tally;
  const wrong = mergeOffences(tally.fires, tally.free);
  if (judged === 0) return unobserved(promise, without);
  const evidence = { judged, timedOut, doubtful, early: early.count, late: late.count, lagMs };
  if (wrong.count > 0) return brokenBy(promise, wrong, evidence);
  const own = [early, late].find(({ beyondMsMax }) => beyondMsMax > lagMs);
  if (own !== undefined) return brokenBy(promise, own, evidence);
  const strayed = early.count + late.count;
  if (strayed > judged * STRAYED_SHARE) {
    const reason = `by no more than the ${Math.round(lagMs)} ms that this machine lagged`;
    const what = `${strayed} of ${judged} jobs were not stopped in time, ${reason}`;
    return inconclusive(promise, what, { evidence });
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
  return kept(promise, `${timedOut} jobs timed out in time and free of charge`, {
    evidence,
    strength: looksAt(timedOut, "jobs"),
  });
}

/** The same, promise by promise, for whoever looks at limits by themselves. */
export function timeoutsInPassing(tally: TimeoutTally, lagMs: number): Passing {
  const { timedOut: samples, fires, free, early, late } = tally;
  const beyondLag = (strayed: Strayed): Offences =>
    strayed.beyondMsMax > lagMs ? strayed : noOffences();
  const all = [
    ["timeout.fires", fires],
    ["timeout.free", free],
    ["timeout.not-early", beyondLag(early)],
    ["timeout.not-late", beyondLag(late)],
  ] as const;
  return passingOf(
    all.flatMap(([promise, offences]) => {
      if (offences.count > 0) return [brokenBy(promise, offences, { samples })];
      return samples === 0 ? [] : [kept(promise, "", { evidence: { samples } })];
    }),
  );
}
