/** timeout.under-load: jobs of a soak that run into their worker's limit. Spec §1.4, §2.3, §8. */

import type { Claim, Sample } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import { judgeCounted } from "../../judging/decide.ts";
import type { Standing } from "../../judging/standing.ts";
import { standing } from "../../judging/standing.ts";
import type { Kind, Of } from "../load/tally-kinds.ts";
import { fields, MOST, SUM, VIOLATIONS } from "../load/tally-kinds.ts";
import type { Violations } from "../load/violations.ts";
import { addViolation, faultsOf, mergeViolations, noViolations } from "../load/violations.ts";
import type { Passing } from "../passing.ts";
import { passingOf } from "../passing.ts";
import type { LimitReading } from "./limited-job.ts";

/** Jobs that were not stopped in time, and by how many ms at worst beyond what is tolerated. */
interface Strayed extends Violations {
  beyondMsMax: number;
}

const STRAYED: Kind<Strayed> = {
  empty: () => ({ ...noViolations(), beyondMsMax: 0 }),
  merge: (a, b) => ({
    ...mergeViolations(a, b),
    beyondMsMax: Math.max(a.beyondMsMax, b.beyondMsMax),
  }),
};

/** All jobs that should have timed out, one after the other; times are not kept. */
export const TIMEOUTS = fields({
  judged: SUM,
  timedOut: SUM,
  /** Jobs of which what is open decides whether they contradict a promise. */
  doubtful: SUM,
  /** Timeouts whose stated duration falls short of the limit: it is not that of the whole run. */
  shortened: SUM,
  /** By how much single ones may seem late for a slow start, where none was seen; 0: not at all. */
  slowStartMs: MOST,
  /** For how long jobs are shown running before they do, as most of those watched show it. */
  shownEarlyMs: MOST,
  /** Wrong in what no lag explains: the state reached, and the charge. */
  fires: VIOLATIONS,
  free: VIOLATIONS,
  /** Beyond the tolerance. */
  early: STRAYED,
  late: STRAYED,
});

export type TimeoutTally = Of<typeof TIMEOUTS>;

/** For a time, the one that showed it running and the one that showed its end; else the latter. */
const POLLS_SHOWN = { time: 2, end: 1 };
/** Ours: so many may be off by no more than the machine was late, or by what is open. */
const STRAYED_SHARE = 0.1;

export function addTimedOutJob(tally: TimeoutTally, job: LimitReading): void {
  const { notEarly, notLate, history } = job;
  tally.judged += 1;
  if (job.end === "timeout") tally.timedOut += 1;
  if (job.isShortened) tally.shortened += 1;
  tally.slowStartMs = Math.max(tally.slowStartMs, job.slowStartMs);
  const add = (of: "time" | "end", sample: Sample | null, to: Violations): Standing | null => {
    const exchanges = [history.submission, ...history.polls.slice(-POLLS_SHOWN[of])];
    const stands = sample === null ? null : standing(sample);
    const what = `${history.issuedId}: ${sample?.what}`;
    if (stands?.says === "off") addViolation(to, { what, exchanges });
    return stands;
  };
  const fires = add("end", job.fires, tally.fires);
  add("end", job.free, tally.free);
  const [early, late] = [add("time", notEarly, tally.early), add("time", notLate, tally.late)];
  for (const [stands, strayed] of [
    [early, tally.early],
    [late, tally.late],
  ] as const) {
    if (stands?.says !== "off") continue;
    strayed.beyondMsMax = Math.max(strayed.beyondMsMax, stands.beyond - stands.mayBe);
  }
  if ([fires, early, late].some((each) => each?.says === "explained")) tally.doubtful += 1;
}

/** `lagMs`: how late this machine may have made anything; a time beyond it is the service's. */
export function underLoadClaim(
  tally: TimeoutTally,
  lagMs: number,
  without: string,
  notTried: readonly string[],
): Claim {
  const { judged, timedOut, doubtful, early, late } = tally;
  const lagged = `this machine lagged ${Math.round(lagMs)} ms`;
  const slowStart = startUpOfLate(tally);
  const slowStarts = slowStart === null ? [] : [anything("unknown start-up", slowStart)];
  const strayed = [early, late].flatMap((each) => {
    const lag = each.beyondMsMax > lagMs ? [] : [anything("host lag", lagged)];
    const above = each === late ? [...lag, ...slowStarts] : lag;
    return faultsOf(each).map((fault) => ({ ...fault, above }));
  });
  const what = "a job may not have been stopped in time";
  const startUp = "the interface leaves open whether start-up time counts";
  const unclear = { what, above: [anything("unknown start-up", startUp)] };
  const faults = [
    ...faultsOf(tally.fires),
    ...faultsOf(tally.free),
    ...strayed,
    ...Array.from({ length: doubtful }, () => unclear),
  ];
  const none = anything("too little seen", "none of the jobs reached its limit");
  return countedClaim({
    promise: "timeout.under-load",
    faults,
    good: Math.max(0, judged - faults.length),
    of: "jobs",
    kept: `${timedOut} jobs timed out in time and free of charge`,
    without,
    hidden: timedOut === 0 && judged > 0 ? [none] : isSlowStart(tally) ? slowStarts : [],
    quorum: { explainedShare: STRAYED_SHARE },
    notTried,
    evidence: { judged, timedOut, lagMs },
  });
}

const SLOW_START = "single jobs may have started more slowly than those whose starts were seen";
const SHOWN_EARLY = "jobs may be shown running while they start up";

/** What of a start-up explains all that are late; null where it does not. */
function startUpOfLate(tally: TimeoutTally): string | null {
  const { late, shownEarlyMs } = tally;
  if (isSlowStart(tally)) return SLOW_START;
  return late.count > 0 && late.beyondMsMax <= shownEarlyMs ? SHOWN_EARLY : null;
}

/** Whether some are late by no more than a slow start takes: any start-up is slow now and then. */
function isSlowStart({ judged, late, slowStartMs }: TimeoutTally): boolean {
  if (late.count === 0 || late.count > judged * STRAYED_SHARE) return false;
  return late.beyondMsMax <= slowStartMs;
}

/** The same, promise by promise, for whoever looks at limits by themselves. */
export function timeoutsInPassing(tally: TimeoutTally, lagMs: number): Passing {
  const { timedOut, fires, free, early } = tally;
  const late = startUpOfLate(tally) !== null ? STRAYED.empty() : tally.late;
  const beyondLag = (strayed: Strayed): Violations =>
    strayed.beyondMsMax > lagMs ? strayed : noViolations();
  const all = [
    ["timeout.fires", fires],
    ["timeout.free", free],
    ["timeout.not-early", beyondLag(early)],
    ["timeout.not-late", beyondLag(late)],
  ] as const;
  return passingOf(
    all.map(([promise, violations]) => {
      const faults = faultsOf(violations);
      const good = Math.max(0, timedOut - faults.length);
      return judgeCounted({ promise, faults, good, of: "jobs", kept: "", without: "" });
    }),
  );
}
