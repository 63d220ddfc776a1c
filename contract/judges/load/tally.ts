/**
 * What is remembered of a load once its jobs and requests are over: counts, histograms, and the
 * first of what speaks against a promise. Plain data of bounded size, which leaves as a record.
 */

import type { Histogram } from "../../histogram.ts";
import type { IssuedIds } from "../../issued-ids.ts";
import type { LoadPart } from "../../run-plan.ts";
import type { Variant } from "../../states.ts";
import type { Passing } from "../passing.ts";
import type { TimeoutTally } from "../timeout/under-load.ts";
import type { LoadSteps } from "./series.ts";
import type { Violations } from "./violations.ts";
import type { PlanRefusals } from "./within-plan.ts";

/**
 * How a request fails under load; an answer 4xx is an answer. `not sent`: for want of descriptors
 * or ports of the generator's machine.
 */
export const ERROR_KINDS = ["5xx", "no answer", "not sent", "malformed", "dripping"] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** First, middle and last third of the offered duration. */
export type Thirds = readonly [Histogram, Histogram, Histogram];

export interface TimeFigures {
  thirds: Thirds;
  all: Histogram;
  /** Above the objective. */
  over: Violations;
}

export interface CostTally {
  /**
   * In billionths of a credit (variant A) or USD (variant B): sums of whole numbers are the same in
   * any order.
   */
  sumBillionths: number;
  dearest: number;
  jobs: number;
  unknown: number;
}

export interface WebhookCounts {
  /** Ended jobs that were submitted with a webhook. */
  ended: number;
  delivered: number;
  /** Ended by their polls, and not delivered within the grace. */
  missing: Violations;
  /** Delivered after all, after the grace. */
  late: number;
  /** Ended jobs of which only deliveries without the service's signature came in time. */
  unvouched: number;
  /** Not delivered when the scenario had to end; the grace was not over. */
  pending: number;
}

/** What single deliveries have against them. */
export interface DeliveryTally {
  /** Of jobs of the load; each is one. */
  judged: number;
  /** Without a signature, or with one that does not fit. */
  unsigned: Violations;
  /** Without one under the neutral name, and with another header that may be it. */
  unnamed: number;
  /** They say otherwise than the job endpoint. */
  untruthful: Violations;
  wrongResult: Violations;
  /** They came before their job had ended. */
  early: Violations;
  /** They lack a documented field; they came by another method than POST. */
  misshapen: Violations;
  byOther: Violations;
  /** They came again after a 200: sooner than any retry, and not. */
  repeated: Violations;
  again: Violations;
  /** Failed deliveries after which another came, and those after which none did. */
  retried: number;
  unretried: Violations;
  /** Second attempts that came sooner than the first wait allows. */
  mistimed: Violations;
  /** Third attempts after a second one in its time that was answered 200. */
  goneOn: Violations;
}

export interface LoadTally {
  scheduled: number;
  /** Sent, and not answered 429 or another 4xx. */
  offered: number;
  dropped: number;
  /** Of those, overdue for long, as this machine was late. */
  droppedLate: number;
  /** Not sent as the key was told to wait, or answered 429. */
  throttled: number;
  /** Not sent, as the budget had to wait for the cost of a job that was on its way. */
  heldBack: number;
  /** Submissions answered another 4xx, by status. */
  refused: Record<number, number>;
  accepted: number;
  /** Submissions without an answer that says whether a job came of it. */
  ambiguous: number;
  /** Of those, told by their webhook to have become a job. */
  resolved: number;
  /** Submissions answered with an identifier that was issued before. */
  duplicates: number;
  /** A sample of all identifiers. */
  issued: IssuedIds;
  ended: number;
  /** Ended as their part should. */
  completed: number;
  endedByState: Record<string, number>;
  /** Lawfully waiting or running when the soak was over. */
  inFlight: number;
  /** Of those, queued or starting up for much longer than others live, and not passed over. */
  overdue: number;
  /** Seen last with a status that is not one of the states, or in bodies that can't be read. */
  unreadable: number;
  /** Not to be found any more, running beyond all limits, or passed over in the queue. */
  lost: Violations;
  /** Neither an answer to their polls nor a webhook came. */
  unanswered: Violations;
  /** Sent to the service, without those that were answered 429. */
  requests: number;
  requests429: number;
  planRefusals: PlanRefusals;
  errors: Record<ErrorKind, number>;
  failed: Violations;
  /** Resets that a server's closing of an idle connection explains as well. RFC 9112 §9.3.1. */
  idleCloses: number;
  /** No answer in time, or one that dripped: what a machine that stands still looks like. */
  slow: number;
  submit: TimeFigures;
  queueWait: TimeFigures;
  /** From the sending of the submission to the end, by part. */
  lives: Partial<Record<LoadPart, Histogram>>;
  /** The same, of all parts, by when they were submitted. */
  livesByThird: Thirds;
  /** Durations that jobs tell, by when they were submitted. */
  runsByThird: Thirds;
  /** By how much submissions were sent behind their schedule. */
  lag: Histogram;
  loopDelay: Histogram;
  /** By how much this machine let threads run late, at worst of each second or two. */
  hostLag: Thirds;
  /** The worst of both once no more was offered, when webhooks still come. */
  drainLagMs: number;
  /** Threads of this machine that wanted a core, for each core. */
  runnable: Histogram;
  timeouts: TimeoutTally;
  /** By account. */
  costs: Record<string, CostTally>;
  webhooks: WebhookCounts;
  deliveries: DeliveryTally;
  verifications: { done: number; skipped: number };
  /** What jobs and acceptances show of promises that other scenarios look after. */
  passing: Passing;
  variant: Variant | null;
}

/** One load, or one generator's share of it. Shares that are merged are judged as one. */
export interface LoadSeen {
  startMs: number;
  /** When the last submission was due, or the budget ended it. */
  offerUntilMs: number;
  jobsPerSecond: number;
  /** False when the budget ended it before its time. */
  isWhole: boolean;
  /** Whether webhooks could be read to the end. */
  hasFeed: boolean;
  /** Deliveries that the receiver dropped before they were read. */
  evicted: number;
  tally: LoadTally;
  series: LoadSteps;
}
