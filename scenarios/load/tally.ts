/** The tally of a load that goes on: what leaves as its record, and what is needed till then. */

import type { IdSample } from "../../contract/jobs/issued-ids.ts";
import { issuedIn, newIdSample } from "../../contract/jobs/issued-ids.ts";
import type { JobHistory } from "../../contract/jobs/job-history.ts";
import type { LoadTally } from "../../contract/judges/load/tally.ts";
import { TALLY } from "../../contract/judges/load/tally.ts";
import type { Violations } from "../../contract/judges/load/violations.ts";
import type { StartStamp } from "../../contract/judges/timeout/start-up.ts";
import type { SecretUse } from "../../contract/judges/webhook/signed.ts";
import type { Histogram } from "../../contract/numbers/histogram.ts";
import { newHistogram } from "../../contract/numbers/histogram.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { Series } from "./series.ts";
import { newSeries } from "./series.ts";
import type { Serving } from "./serving.ts";

/** First, middle and last third of the offered duration. */
export type Third = 0 | 1 | 2;

/** A webhook that was answered 200, the job that it named, and when that was submitted. */
export interface Taken {
  job: string | null;
  arrivedAtMs: number;
  answeredAtMs: number;
  submittedAtMs: number;
  signer: string;
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
  /** How long the first jobs that timed out say that they ran. */
  timeoutRunsMs: number[];
  /** What is held against missing webhooks, by their tokens: they may come yet. */
  missed: Map<string, string>;
  /** Webhooks that were answered 200, by their tokens; and the submissions of the latest. */
  taken: Map<string, Taken>;
  quotable: Map<string, Exchange>;
  serving: Serving;
  /** Signatures that did not fit, by who signs, until one of theirs does; null: one did. */
  signers: Map<string, Violations | null>;
  /** Of the first deliveries of a key's jobs, by which of several secrets they are signed. */
  secrets: Map<string, SecretsUsed>;
}

export interface SecretsUsed {
  uses: Map<number, SecretUse>;
  /** Held against those of each, should it be another account's. */
  held: Map<number, Violations>;
}

export function newTally(startMs: number): Tally {
  const ids = newIdSample();
  return {
    ...TALLY.empty(),
    issued: issuedIn(ids),
    ids,
    waiting: 0,
    newsLag: newHistogram(),
    series: newSeries(startMs),
    starts: [],
    startStamp: "unknown",
    shownEarlyMs: [],
    timeoutRunsMs: [],
    missed: new Map(),
    taken: new Map(),
    quotable: new Map(),
    serving: new Set(),
    signers: new Map(),
    secrets: new Map(),
  };
}
