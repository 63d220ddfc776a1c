/** When jobs changed their states, as intervals that hold the moment, for the report's plot. */

import type { JobHistory } from "../../job-history.ts";
import type { TransitionSeries } from "../../series.ts";
import { keptFew } from "../../series.ts";
import type { State } from "../../states.ts";
import { isTerminal, stateRank } from "../../states.ts";
import type { JobReading, StateLook } from "./reading.ts";
import { firstEnd, readHistories, stateLooks } from "./reading.ts";

/** Ours: rows that a reader takes in. */
const JOBS_MAX = 16;
/** Ours: a job has up to five; one that goes to and fro is seen by its first ones. */
const TRANSITIONS_MAX = 16;

type PlayedJob = JobHistory & { part: string | null };

export function transitionSeries(jobs: readonly PlayedJob[]): readonly TransitionSeries[] {
  const parts = new Map(jobs.map((job) => [job.submission, job.part]));
  const rows = readHistories(jobs)
    .filter((reading) => reading.accepted !== null && reading.looks.length > 0)
    .map((reading) => rowOf(reading, parts.get(reading.history.submission) ?? null));
  return keptFew(rows, JOBS_MAX, ({ isOffender }) => isOffender);
}

function rowOf(reading: JobReading, part: string | null): TransitionSeries {
  const { submission, issuedId, polls } = reading.history;
  const looks = stateLooks(reading);
  const originMs = submission.sentAtMs;
  const issued: State = reading.accepted?.value?.state ?? "queued";
  const first = { earliestMs: 0, latestMs: submission.receivedAtMs - originMs, statedMs: null };
  const transitions = changes(looks, issued).map(({ before, look }) => ({
    state: look.job.state,
    earliestMs: (before ?? submission).sentAtMs - originMs,
    latestMs: look.exchange.receivedAtMs - originMs,
    statedMs: statedMs(look),
  }));
  const unknown = reading.looks.some(({ job }) => job !== null && job.state === null);
  return {
    jobId: issuedId ?? "",
    part: part ?? "no part",
    transitions: [{ state: issued, ...first }, ...transitions].slice(0, TRANSITIONS_MAX),
    watchedUntilMs: (polls.at(-1) ?? submission).receivedAtMs - originMs,
    isOffender: unknown || firstEnd(reading) === null || movesBackward(looks),
  };
}

/** The looks that were the first to see another state, each with the one before it. */
function changes(looks: readonly StateLook[], issued: State) {
  return looks.flatMap((look, at) => {
    const before = looks[at - 1];
    if ((before?.job.state ?? issued) === look.job.state) return [];
    return [{ before: before?.exchange ?? null, look }];
  });
}

/** By the service's own times after the submission that it states; they need no clock offset. */
function statedMs({ job }: StateLook): number | null {
  const stated = isTerminal(job.state) ? job.finishedAt : null;
  const moment = job.state === "running" ? job.startedAt : stated;
  if (moment === null || job.createdAt === null) return null;
  return moment.ms - job.createdAt.ms;
}

function movesBackward(looks: readonly StateLook[]): boolean {
  return looks.some((look, at) => {
    const before = looks[at - 1];
    if (before === undefined) return false;
    const [from, to] = [before.job.state, look.job.state];
    return stateRank(to) < stateRank(from) || (isTerminal(from) && from !== to);
  });
}
