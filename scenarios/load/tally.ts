/** The tally of a load that goes on: what leaves as its record, and what is needed till then. */

import type { Exchange } from "../../contract/exchange.ts";
import type { Histogram } from "../../contract/histogram.ts";
import { newHistogram } from "../../contract/histogram.ts";
import type { IdSample } from "../../contract/issued-ids.ts";
import { issuedIn, newIdSample } from "../../contract/issued-ids.ts";
import type { JobHistory } from "../../contract/job-history.ts";
import type { LoadTally, Thirds, TimeFigures } from "../../contract/judges/load/tally.ts";
import { noViolations } from "../../contract/judges/load/violations.ts";
import { noRefusals } from "../../contract/judges/load/within-plan.ts";
import type { StartStamp } from "../../contract/judges/timeout/start-up.ts";
import { newTimeoutTally } from "../../contract/judges/timeout/under-load.ts";
import type { Series } from "./series.ts";
import { newSeries } from "./series.ts";

/** First, middle and last third of the offered duration. */
export type Third = 0 | 1 | 2;

/** A webhook that was answered 200, and when the submission of its job was sent. */
export interface Taken {
  arrivedAtMs: number;
  submittedAtMs: number;
}

export interface Tally extends LoadTally {
  series: Series;
  /** Of a shard: what it was issued. */
  ids: IdSample;
  /** Accepted, and not seen ended. */
  waiting: number;
  /** How much later than jobs ended that was known, in ms. */
  newsLag: Histogram;
  /** Jobs whose start was watched, and what they show of the others' stated runs. */
  starts: JobHistory[];
  startStamp: StartStamp;
  /** For how long jobs whose start was watched were shown running before they did. */
  shownEarlyMs: number[];
  /** What is held against missing webhooks, by their tokens: they may come yet. */
  missed: Map<string, string>;
  /** Webhooks that were answered 200, by their tokens; and the submissions of the latest. */
  taken: Map<string, Taken>;
  quotable: Map<string, Exchange>;
}

export function newTally(startMs: number): Tally {
  const ids = newIdSample();
  return {
    scheduled: 0,
    offered: 0,
    dropped: 0,
    droppedLate: 0,
    throttled: 0,
    heldBack: 0,
    refused: {},
    accepted: 0,
    ambiguous: 0,
    resolved: 0,
    duplicates: 0,
    issued: issuedIn(ids),
    ids,
    waiting: 0,
    newsLag: newHistogram(),
    ended: 0,
    completed: 0,
    endedByState: {},
    inFlight: 0,
    overdue: 0,
    unreadable: 0,
    lost: noViolations(),
    unanswered: noViolations(),
    requests: 0,
    requests429: 0,
    planRefusals: noRefusals(),
    errors: { "5xx": 0, "no answer": 0, "not sent": 0, malformed: 0, dripping: 0 },
    failed: noViolations(),
    idleCloses: 0,
    slow: 0,
    submit: newTimeFigures(),
    queueWait: newTimeFigures(),
    lives: {},
    livesByThird: newThirds(),
    runsByThird: newThirds(),
    lag: newHistogram(),
    loopDelay: newHistogram(),
    hostLag: newThirds(),
    drainLagMs: 0,
    runnable: newHistogram(),
    series: newSeries(startMs),
    timeouts: newTimeoutTally(),
    starts: [],
    startStamp: "unknown",
    shownEarlyMs: [],
    costs: {},
    webhooks: newWebhooks(),
    deliveries: newDeliveries(),
    missed: new Map(),
    taken: new Map(),
    quotable: new Map(),
    verifications: { done: 0, skipped: 0 },
    passing: {},
    variant: null,
  };
}

function newWebhooks(): Tally["webhooks"] {
  return { ended: 0, delivered: 0, missing: noViolations(), late: 0, unvouched: 0, pending: 0 };
}

function newDeliveries(): Tally["deliveries"] {
  return {
    judged: 0,
    unsigned: noViolations(),
    unnamed: 0,
    untruthful: noViolations(),
    wrongResult: noViolations(),
    early: noViolations(),
    misshapen: noViolations(),
    byOther: noViolations(),
    repeated: noViolations(),
    again: noViolations(),
    retried: 0,
    unretried: noViolations(),
    mistimed: noViolations(),
    goneOn: noViolations(),
  };
}

function newTimeFigures(): TimeFigures {
  return { thirds: newThirds(), all: newHistogram(), over: noViolations() };
}

function newThirds(): Thirds {
  return [newHistogram(), newHistogram(), newHistogram()];
}
