/** What a soak remembers of jobs and requests that are over: counts, histograms, offenders. */

import type { Histogram } from "../../contract/histogram.ts";
import { newHistogram } from "../../contract/histogram.ts";
import type { JobHistory } from "../../contract/job-history.ts";
import type { ErrorKind } from "../../contract/judges/load/errors.ts";
import type { Offences } from "../../contract/judges/load/offences.ts";
import { noOffences } from "../../contract/judges/load/offences.ts";
import type { TimeoutTally } from "../../contract/judges/load/timeouts.ts";
import { newTimeoutTally } from "../../contract/judges/load/timeouts.ts";
import type { PlanRefusals } from "../../contract/judges/load/within-plan.ts";
import { noRefusals } from "../../contract/judges/load/within-plan.ts";
import type { StartStamp } from "../../contract/judges/timeout/start-up.ts";
import type { LoadPart } from "../../contract/run-plan.ts";
import type { Variant } from "../../contract/states.ts";
import type { Series } from "./series.ts";
import { newSeries } from "./series.ts";

/** First, middle and last third of the offered duration. */
export type Third = 0 | 1 | 2;

export interface TimeFigures {
  thirds: readonly [Histogram, Histogram, Histogram];
  all: Histogram;
  /** Above the objective. */
  over: Offences;
}

export interface CostTally {
  /** In credits (variant A) or USD (variant B). */
  sum: number;
  dearest: number;
  jobs: number;
  unknown: number;
}

export interface WebhookCounts {
  ended: number;
  delivered: number;
  missing: Offences;
  /** What is held against each of those, by the token of its webhook, which may come yet. */
  missed: Map<string, string>;
  late: number;
  /** Ended with deliveries only that may be anybody's. */
  unvouched: number;
  pending: number;
}

export interface Tally {
  scheduled: number;
  /** Sent, and not answered 429 or another 4xx. */
  offered: number;
  dropped: number;
  /** Not sent as the key was told to wait, or answered 429. */
  throttled: number;
  /** Not sent, as the budget had to wait for the cost of a job that was on its way. */
  heldBack: number;
  /** Submissions answered another 4xx, by status. */
  refused: Map<number, number>;
  accepted: number;
  /** Submissions without an answer that says whether a job came of it. */
  ambiguous: number;
  /** Of those, told by their webhook to have become a job. */
  resolved: number;
  /** Submissions answered with an identifier that was issued before. */
  duplicates: number;
  /** Accepted, and not seen ended. */
  waiting: number;
  ended: number;
  /** Ended as their part should. */
  completed: number;
  endedByState: Record<string, number>;
  inFlight: number;
  /** Of those, queued beyond their deadline. */
  overdue: number;
  unreadable: number;
  lost: Offences;
  unanswered: Offences;
  requests: number;
  requests429: number;
  planRefusals: PlanRefusals;
  errors: Record<ErrorKind, number>;
  failed: Offences;
  /** Of the failed requests, those that the closing of an idle connection may explain. */
  idleCloses: number;
  /** And those that a machine that stands still may explain. */
  slow: number;
  submit: TimeFigures;
  queueWait: TimeFigures;
  /** From the sending of the submission to the end, by part. */
  lives: Map<LoadPart, Histogram>;
  /** The same, of all parts, by when they were submitted. */
  livesByThird: readonly [Histogram, Histogram, Histogram];
  /** Durations that jobs tell, by when they were submitted. */
  runsByThird: readonly [Histogram, Histogram, Histogram];
  /** By how much submissions were sent behind their schedule. */
  lag: Histogram;
  loopDelay: Histogram;
  /** By how much this machine let threads run late, at worst of each second or two. */
  hostLag: readonly [Histogram, Histogram, Histogram];
  /** Threads of this machine that wanted a core, for each core. */
  runnable: Histogram;
  series: Series;
  timeouts: TimeoutTally;
  /** Jobs whose start was watched, and what they show of the others' stated runs. */
  starts: JobHistory[];
  startStamp: StartStamp;
  costs: Map<string, CostTally>;
  webhooks: WebhookCounts;
  verifications: { done: number; skipped: number };
  variant: Variant | null;
}

export function newTally(startMs: number): Tally {
  return {
    scheduled: 0,
    offered: 0,
    dropped: 0,
    throttled: 0,
    heldBack: 0,
    refused: new Map(),
    accepted: 0,
    ambiguous: 0,
    resolved: 0,
    duplicates: 0,
    waiting: 0,
    ended: 0,
    completed: 0,
    endedByState: {},
    inFlight: 0,
    overdue: 0,
    unreadable: 0,
    lost: noOffences(),
    unanswered: noOffences(),
    requests: 0,
    requests429: 0,
    planRefusals: noRefusals(),
    errors: { "5xx": 0, "no answer": 0, malformed: 0, dripping: 0 },
    failed: noOffences(),
    idleCloses: 0,
    slow: 0,
    submit: newTimeFigures(),
    queueWait: newTimeFigures(),
    lives: new Map(),
    livesByThird: newThirds(),
    runsByThird: newThirds(),
    lag: newHistogram(),
    loopDelay: newHistogram(),
    hostLag: newThirds(),
    runnable: newHistogram(),
    series: newSeries(startMs),
    timeouts: newTimeoutTally(),
    starts: [],
    startStamp: "unknown",
    costs: new Map(),
    webhooks: {
      ended: 0,
      delivered: 0,
      missing: noOffences(),
      missed: new Map(),
      late: 0,
      unvouched: 0,
      pending: 0,
    },
    verifications: { done: 0, skipped: 0 },
    variant: null,
  };
}

function newTimeFigures(): TimeFigures {
  return {
    thirds: newThirds(),
    all: newHistogram(),
    over: noOffences(),
  };
}

function newThirds(): readonly [Histogram, Histogram, Histogram] {
  return [newHistogram(), newHistogram(), newHistogram()];
}
