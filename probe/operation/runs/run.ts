/** One canary run as it is under way, and the parts of the probe that all runs share. */

import type { Job } from "../../../contract/decode/job-types.ts";
import type { Delivery } from "../../../contract/jobs/delivery.ts";
import type { JobHistory } from "../../../contract/jobs/job-history.ts";
import type { Spent } from "../../../contract/limits/budget.ts";
import { NOTHING_SPENT } from "../../../contract/limits/budget.ts";
import type { Exchange } from "../../../contract/requests/exchange.ts";
import type { State } from "../../../contract/states.ts";
import type { Target } from "../../../contract/target.ts";
import type { Observation, Stamps } from "../../../contract/timeline/observation.ts";
import type { Track } from "../../../contract/timeline/track.ts";
import { NEW_TRACK, observe, stateOf } from "../../../contract/timeline/track.ts";
import type { Finding } from "../../../contract/verdict.ts";
import { isPageInFront } from "../../answer-text.ts";
import type { Canary } from "../../canary/canary.ts";
import type { PacedClient } from "../../client/paced-client.ts";
import type { Clock } from "../../clock.ts";
import type { Emit, RunFacts } from "../../events.ts";
import { emitViolations } from "../../events.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Intent } from "../../journal/records.ts";
import type { PriceList } from "../costs/price-list.ts";
import type { Knowledge } from "../knowledge.ts";
import type { MachineLag } from "../machine-lag.ts";
import type { DeliveryDesk } from "../webhooks/delivery-desk.ts";

export interface Parts {
  target: Target;
  clock: Clock;
  /** Names runs; never the same. */
  newId: () => string;
  client: PacedClient;
  journal: Journal;
  /** null: the target has no webhook section. */
  desk: DeliveryDesk | null;
  knowledge: Knowledge;
  prices: PriceList;
  lag: MachineLag;
  emit: Emit;
  requestsPerJob: number;
  /** Aborted when the probe stops: runs are left to the journal. */
  signal: AbortSignal;
}

/** What a readable answer says. */
export interface Shown {
  body: string;
  job: Job | null;
  stamps: Stamps;
}

export interface Run {
  intent: Intent;
  canary: Canary;
  /** True for a run of an earlier process. */
  resumed: boolean;
  jobId: string | null;
  submission: Exchange | null;
  /** Whether an earlier job was given the same identifier. */
  hasAnothersId: boolean;
  /** Answers of the polls; of some that say the same only the first and the last. */
  polls: Exchange[];
  /** How many polls there were. */
  pollCount: number;
  /** Whether a 429 asked for a pause that left no room for a poll by the deadline. */
  isForbidden: boolean;
  /** What the last readable answer says. */
  shown: Shown | null;
  /** The first deliveries, and how many there were in all. */
  deliveries: Delivery[];
  deliveriesCame: number;
  /** The first one whose signature is missing or does not fit: anybody may have sent it. */
  unsigned: Delivery | null;
  isUnsignedTold: boolean;
  /** The receiver has cut one whose signature can't be checked: it may be the service's. */
  isCut: boolean;
  /** The request to cancel the job, with its answer; null when none was sent. */
  cancel: Exchange | null;
  track: Track;
  /** What was counted of it as spent, nothing before the verdict; whether the service said it. */
  cost: { spent: Spent; isStated: boolean };
  /** States whose entry was reported: none is reported twice. */
  reported: Set<State>;
  /** Number of the next observation in the journal. */
  seq: number;
  /** Called when a delivery arrives. */
  wake: () => void;
}

export function newRun(intent: Intent, canary: Canary): Run {
  return {
    intent,
    canary,
    resumed: false,
    jobId: null,
    submission: null,
    hasAnothersId: false,
    polls: [],
    pollCount: 0,
    isForbidden: false,
    shown: null,
    deliveries: [],
    deliveriesCame: 0,
    unsigned: null,
    isUnsignedTold: false,
    isCut: false,
    cancel: null,
    track: NEW_TRACK,
    cost: { spent: NOTHING_SPENT, isStated: false },
    reported: new Set(),
    seq: 0,
    wake: () => {},
  };
}

export function factsOf({ intent, jobId }: Run): RunFacts {
  const { runId, canary, workerId } = intent;
  return { runId, canary, workerId, jobId };
}

export function reportViolations(parts: Parts, run: Run, findings: readonly Finding[]): void {
  const { clock, emit, knowledge } = parts;
  const nowMs = clock.nowMs();
  emitViolations(emit, { run: factsOf(run) }, knowledge.credible(findings, nowMs), nowMs);
}

/** When the submission was sent; a run without one counts from its intent. */
export function submittedAtMs({ submission, intent }: Run): number {
  return submission?.sentAtMs ?? intent.intendedAtMs;
}

export function deadlineAtMs(run: Run): number {
  return submittedAtMs(run) + run.intent.deadlineMs;
}

/** Takes an observation in; the journal gets those that say something new of the state. */
export function takeIn(
  { journal }: { journal: Pick<Journal, "note"> },
  run: Run,
  observation: Observation,
): void {
  const before = stateOf(run.track);
  run.track = observe(run.track, observation);
  const isNews = observation.kind !== "poll" || stateOf(run.track) !== before;
  if (!isNews) return;
  const seq = run.seq;
  run.seq += 1;
  // What can't be written now is kept by the journal and reported by it.
  journal.note(run.intent.runId, seq, observation).catch(() => {});
}

/**
 * The run as the judges read it; null when it was never known to be submitted. What something in
 * front of the service answered in its place says nothing of the job.
 */
export function historyOf(run: Run, gaveUpAtMs: number | null): JobHistory | null {
  const { cancel } = run;
  if (run.submission === null) return null;
  return {
    submission: run.submission,
    issuedId: run.jobId,
    workerId: run.intent.workerId,
    polls: run.polls.filter((poll) => !isPageInFront(poll)),
    cancelRequests: cancel === null ? [] : [cancel],
    expected: run.intent.expected,
    gaveUpAtMs,
    deadlineMs: run.intent.deadlineMs,
  };
}
