/**
 * What several rounds of jobs say of the times at which a limit fires. On a target whose clocks
 * run fast, a moment in which the machine stood still is seconds of the stated time, so there a
 * deviation must come again in another round; the last round decides otherwise.
 */

import type { Exchange } from "../../exchange.ts";
import type { JobHistory } from "../../job-history.ts";
import { readHistories } from "../job/reading.ts";
import type { LimitBounds } from "./bounds.ts";
import type { StartStamp } from "./start-up.ts";
import { startStampOf } from "./start-up.ts";
import type { Lag, Opinion, TimedOutJob } from "./timed-out-job.ts";
import { judgeTimedOutJob } from "./timed-out-job.ts";

export interface LimitedJob {
  history: JobHistory;
  lag: Lag;
  /** Counts from 1; the jobs of a round were submitted at once. */
  round: number;
}

export interface JudgedJob extends TimedOutJob {
  round: number;
}

export interface Said {
  opinion: Opinion;
  exchanges: readonly Exchange[];
}

type TimedAspect = "notEarly" | "notLate";

/** Rounds that must contradict a promise on times before it is broken. */
export function roundsNeeded(timeScale: number): number {
  return timeScale < 1 ? 2 : 1;
}

export function judgeRounds(
  jobs: readonly LimitedJob[],
  bounds: LimitBounds,
  assumed: StartStamp = "unknown",
): JudgedJob[] {
  const stamp = startStampOf(readHistories(jobs.map(({ history }) => history)), assumed);
  return jobs.map(({ history, lag, round }) => ({
    ...judgeTimedOutJob(history, bounds, lag, stamp),
    round,
  }));
}

/** Opinions on times: those of the last round, and of the others what it confirms. */
export function timedOpinions(
  jobs: readonly JudgedJob[],
  aspect: TimedAspect,
  needed: number,
): readonly Said[] {
  const last = lastRound(jobs);
  const isConfirmed = contradicting(jobs, aspect).length >= needed;
  return jobs.flatMap((job): readonly Said[] => {
    const { exchanges, round } = job;
    const opinion = job[aspect];
    if (opinion === null) return [];
    if (opinion.outcome === "broken") {
      if (isConfirmed) return [{ opinion, exchanges }];
      return round === last ? [{ opinion: unconfirmed(opinion), exchanges }] : [];
    }
    return round === last ? [{ opinion, exchanges }] : [];
  });
}

/**
 * Whether the last round leaves a doubt that another one can settle: one about times too short for
 * this machine. What is open on a target in real time stays open.
 */
export function needsAnotherRound(
  limited: readonly LimitedJob[],
  bounds: LimitBounds,
  needed: number,
): boolean {
  if (needed === 1) return false;
  const jobs = judgeRounds(limited, bounds);
  const fires = jobs.map((job) => job.fires.outcome);
  const times = (["notEarly", "notLate"] as const).map((aspect) =>
    timedOpinions(jobs, aspect, needed).map(({ opinion }) => opinion.outcome),
  );
  return [fires, ...times].some((outcomes) => {
    return outcomes.includes("doubtful") && !outcomes.includes("broken");
  });
}

function lastRound(jobs: readonly JudgedJob[]): number {
  return jobs.reduce((last, { round }) => Math.max(last, round), 0);
}

function contradicting(jobs: readonly JudgedJob[], aspect: TimedAspect): readonly number[] {
  const broken = jobs.filter((job) => job[aspect]?.outcome === "broken");
  return [...new Set(broken.map(({ round }) => round))];
}

function unconfirmed({ what }: Opinion): Opinion {
  return { outcome: "doubtful", what: `${what}, in one round of jobs only` };
}
