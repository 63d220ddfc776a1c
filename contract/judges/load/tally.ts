/**
 * What is remembered of a load once its jobs and requests are over: counts, histograms, and the
 * first of what speaks against a promise. Plain data of bounded size, which leaves as a record.
 */

import type { IssuedIds } from "../../jobs/issued-ids.ts";
import { issuedIn, mergeIssued, newIdSample } from "../../jobs/issued-ids.ts";
import type { Histogram } from "../../numbers/histogram.ts";
import { newHistogram } from "../../numbers/histogram.ts";
import type { LoadPart } from "../../run/run-plan.ts";
import type { Variant } from "../../states.ts";
import type { Passing } from "../passing.ts";
import { mergePassing } from "../passing.ts";
import { TIMEOUTS } from "../timeout/under-load.ts";
import { REFUSED_AMID } from "./refused-amid.ts";
import type { LoadSteps } from "./series.ts";
import { mergeSeries } from "./series.ts";
import type { Kind, Of } from "./tally-kinds.ts";
import { fields, HISTOGRAM, MOST, named, SUM, VIOLATIONS } from "./tally-kinds.ts";
import { PLAN_REFUSALS } from "./within-plan.ts";

/**
 * How a request fails under load; an answer 4xx is an answer, see refused-amid.ts. `not sent`: for
 * want of descriptors or ports of the generator's machine.
 */
export const ERROR_KINDS = ["5xx", "no answer", "not sent", "malformed", "dripping"] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** First, middle and last third of the offered duration. */
export type Thirds = readonly [Histogram, Histogram, Histogram];

const THIRDS: Kind<Thirds> = {
  empty: () => [newHistogram(), newHistogram(), newHistogram()],
  merge: (a, b) => [
    HISTOGRAM.merge(a[0], b[0]),
    HISTOGRAM.merge(a[1], b[1]),
    HISTOGRAM.merge(a[2], b[2]),
  ],
};

const TIME_FIGURES = fields({
  thirds: THIRDS,
  all: HISTOGRAM,
  /** Above the objective. */
  over: VIOLATIONS,
});

export const COSTS = fields({
  /**
   * In billionths of a credit (variant A) or USD (variant B): sums of whole numbers are the same in
   * any order.
   */
  sumBillionths: SUM,
  dearest: MOST,
  jobs: SUM,
  unknown: SUM,
});

const WEBHOOKS = fields({
  /** Ended jobs that were submitted with a webhook. */
  ended: SUM,
  delivered: SUM,
  /** Ended by their polls, and not delivered within the grace. */
  missing: VIOLATIONS,
  /** Delivered after all, after the grace. */
  late: SUM,
  /** Ended jobs of which only deliveries without the service's signature came in time. */
  unvouched: SUM,
  /** Not delivered when the scenario had to end; the grace was not over. */
  pending: SUM,
});

export type WebhookCounts = Of<typeof WEBHOOKS>;

/** What single deliveries have against them. */
const DELIVERIES = fields({
  /** Of jobs of the load; each is one. */
  judged: SUM,
  /** Without a signature, or with one that does not fit. */
  unsigned: VIOLATIONS,
  /** With another header that may be the one, or signed by what may be another account's secret. */
  unnamed: SUM,
  /** They say otherwise than the job endpoint. */
  untruthful: VIOLATIONS,
  wrongResult: VIOLATIONS,
  /** They came before their job had ended. */
  early: VIOLATIONS,
  /** They lack a documented field; they came by another method than POST. */
  misshapen: VIOLATIONS,
  byOther: VIOLATIONS,
  /** They came again after a 200: as no retry does, and as one may that is right. */
  repeated: VIOLATIONS,
  again: VIOLATIONS,
  /** Failed deliveries after which another came, and those after which none did. */
  retried: SUM,
  unretried: VIOLATIONS,
  /** Second attempts that came sooner than the first wait allows. */
  mistimed: VIOLATIONS,
  /** Third attempts after a second one in its time that was answered 200. */
  goneOn: VIOLATIONS,
});

export type DeliveryTally = Of<typeof DELIVERIES>;

export const TALLY = fields({
  scheduled: SUM,
  /** Sent, and not answered 429 or another 4xx. */
  offered: SUM,
  dropped: SUM,
  /** Of those, overdue for long, as this machine was late. */
  droppedLate: SUM,
  /** Not sent as the key was told to wait, or answered 429. */
  throttled: SUM,
  /** Not sent, as the cost of a job on its way was not known, or none was taken for a moment. */
  heldBack: SUM,
  /** Submissions answered another 4xx, by status. */
  refused: named(SUM),
  /** Those of them that others alike, which were accepted, came before and after. */
  refusedAmid: REFUSED_AMID,
  accepted: SUM,
  /** Submissions without an answer that says whether a job came of it. */
  ambiguous: SUM,
  /** Of those, told by their webhook to have become a job. */
  resolved: SUM,
  /** Submissions answered with an identifier that was issued before. */
  duplicates: SUM,
  /** A sample of all identifiers. */
  issued: { empty: () => issuedIn(newIdSample()), merge: mergeIssued } as Kind<IssuedIds>,
  ended: SUM,
  /** Ended as their part should. */
  completed: SUM,
  endedByState: named(SUM),
  /** Lawfully waiting or running when the soak was over. */
  inFlight: SUM,
  /** Of those, queued or starting up for much longer than others live, and not passed over. */
  overdue: SUM,
  /** Seen last with a status that is not one of the states, or in bodies that can't be read. */
  unreadable: SUM,
  /** Not to be found any more, running beyond all limits, or passed over in the queue. */
  lost: VIOLATIONS,
  /** Neither an answer to their polls nor a webhook came. */
  unanswered: VIOLATIONS,
  /** Sent to the service, without those that were answered 429. */
  requests: SUM,
  requests429: SUM,
  planRefusals: PLAN_REFUSALS,
  errors: fields<Record<ErrorKind, number>>({
    "5xx": SUM,
    "no answer": SUM,
    "not sent": SUM,
    malformed: SUM,
    dripping: SUM,
  }),
  failed: VIOLATIONS,
  /** Resets that a server's closing of an idle connection explains as well. RFC 9112 §9.3.1. */
  idleCloses: SUM,
  /** In how many moments: connections that rested together are closed together. */
  idleMoments: SUM,
  /** No answer in time, or one that dripped: what a machine that stands still looks like. */
  slow: SUM,
  submit: TIME_FIGURES,
  /** Answers that showed the end of a job, while more jobs were submitted. */
  poll: fields({ thirds: THIRDS }),
  queueWait: TIME_FIGURES,
  /** From the sending of the submission to the end, by part. */
  lives: named(HISTOGRAM) as Kind<Partial<Record<LoadPart, Histogram>>>,
  /** The same, of all parts, by when they were submitted. */
  livesByThird: THIRDS,
  /** Durations that jobs tell, by when they were submitted. */
  runsByThird: THIRDS,
  /** By how much submissions were sent behind their schedule. */
  lag: HISTOGRAM,
  loopDelay: HISTOGRAM,
  /** By how much this machine let threads run late, at worst of each second or two. */
  hostLag: THIRDS,
  /** The worst of both once no more was offered, when webhooks still come. */
  drainLagMs: MOST,
  /** Threads of this machine that wanted a core, for each core. */
  runnable: HISTOGRAM,
  timeouts: TIMEOUTS,
  /** By account. */
  costs: named(COSTS),
  webhooks: WEBHOOKS,
  deliveries: DELIVERIES,
  verifications: fields({ done: SUM, skipped: SUM }),
  /** What jobs and acceptances show of promises that other scenarios look after. */
  passing: { empty: () => ({}), merge: mergePassing } as Kind<Passing>,
  variant: {
    empty: () => null,
    merge: (a, b) => [a, b].sort().find((each) => each !== null) ?? null,
  } as Kind<Variant | null>,
});

export type LoadTally = Of<typeof TALLY>;

/** One load, or one generator's share of it. Shares that are merged are judged as one. */
export interface LoadSeen {
  startMs: number;
  /** When the last submission was due, or the budget ended it. */
  offerUntilMs: number;
  jobsPerSecond: number;
  /** False when it was ended before its time. */
  isWhole: boolean;
  /** By what, in a sentence; left out: by the budget. */
  whyEnded?: string;
  /** Whether webhooks could be read to the end. */
  hasFeed: boolean;
  /** Deliveries that the receiver dropped before they were read. */
  evicted: number;
  tally: LoadTally;
  series: LoadSteps;
}

export function mergeLoads(a: LoadSeen, b: LoadSeen): LoadSeen {
  const whyEnded = a.whyEnded ?? b.whyEnded;
  return {
    startMs: Math.min(a.startMs, b.startMs),
    offerUntilMs: Math.max(a.offerUntilMs, b.offerUntilMs),
    jobsPerSecond: a.jobsPerSecond + b.jobsPerSecond,
    isWhole: a.isWhole && b.isWhole,
    ...(whyEnded === undefined ? {} : { whyEnded }),
    hasFeed: a.hasFeed && b.hasFeed,
    // One receiver counts for all that ask it.
    evicted: Math.max(a.evicted, b.evicted),
    tally: TALLY.merge(a.tally, b.tally),
    series: mergeSeries(a.series, b.series),
  };
}
