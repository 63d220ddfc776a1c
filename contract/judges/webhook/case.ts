/** One job with a webhook, and all that was seen of it: the observation of the webhook judges. */

import type { AnswerStep, Delivery, ReceiverReach } from "../../jobs/delivery.ts";
import type { JobHistory } from "../../jobs/job-history.ts";
import type { Explanation } from "../../judging/claim.ts";
import { chanceOfAtLeast } from "../../numbers/binomial.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isSuccess } from "../../requests/exchange.ts";
import { workerInPath } from "../../requests/routes.ts";
import type { PlanKey, PromisedTimes } from "../../run/run-plan.ts";
import type { EndState } from "../../states.ts";
import { ownMs } from "../../time/promised-times.ts";

/** What a case is there to show. */
export type CaseKind =
  | "first"
  | "ladder"
  | "not-found"
  | "reset"
  | "silent"
  | "refused"
  | "in-time"
  | "too-late"
  | "recovery";

export interface WebhookCase {
  kind: CaseKind;
  /** Worker that ran it. */
  part: string;
  /** How it was seen to end; null where it was not. */
  endSeen: EndState | null;
  script: readonly AnswerStep[];
  /** Whether deliveries of other jobs to the same address fail. Left out: none do. */
  isOtherFailing?: boolean;
  submission: Exchange;
  jobId: string | null;
  deliveries: readonly Delivery[];
  /** Polls of the job that were sent after the first delivery had arrived, in order. */
  looks: readonly Exchange[];
  /** Sent when all that was due had been watched, long after the end. Left out: none was. */
  lastLook?: Exchange | null;
  /** By which it was cancelled, or called so. Left out: it was neither. */
  cancelRequests?: readonly Exchange[];
  /** The poll that first showed its end, also where it came before the first delivery. */
  endPoll?: Exchange | null;
  /** When the poll was sent that first showed its end; null: none did. Left out: not recorded. */
  endPolledAtMs?: number | null;
  /** When the end of the job was known; null when it never was. */
  endKnownAtMs: number | null;
  /** Until then the receiver was watched. */
  watchedUntilMs: number;
  /**
   * The worst lag of the machine while a delivery came and was answered, or from when the next
   * one was due to its arrival, with what its stalls made in all then over `STALL_LAGS`; one fewer
   * than there are deliveries.
   */
  lagsMs: readonly number[];
  /** Left out: no attempt was refused, or its port was never opened. */
  refusal?: Refusal;
}

/** What is known of the time after a refused attempt, which leaves no trace. */
export interface Refusal {
  /** When its port was open, at the latest. */
  openAtMs: number;
  /** As in `lagsMs`, from when the end of its job was known until its first delivery came. */
  lagMs: number;
}

/** A job that was submitted without a webhook. */
export interface UnaskedJob {
  jobId: string;
  endKnownAtMs: number | null;
  watchedUntilMs: number;
}

export interface WebhookRun {
  cases: readonly WebhookCase[];
  unasked: readonly UnaskedJob[];
  times: PromisedTimes;
  /** How late the suite itself was at most times; added to what is tolerated. */
  lagMs: number;
  /** What signatures are checked by; `present`: nothing, for want of a scheme or its secret. */
  signatureScheme: string;
  /** By which it is known whose secret made one. Left out: nothing is known of that. */
  keys?: readonly PlanKey[];
  /** What the bounds of the receiver evicted while the run went on. */
  pushedOut: { deliveries: number; tokens: number };
  /** Both addresses are on this machine: no network adds to the times. */
  isLocal: boolean;
  /** The receiver speaks no TLS: who does stands between it and the senders. */
  isProxied: boolean;
  receiverReach: ReceiverReach;
}

/** Ours: an end that is not delivered this long after it was known is not delivered. */
const DELIVERY_GRACE_MS = 20_000;

export function deliveryGraceMs(run: WebhookRun): number {
  return ownMs(run.times, DELIVERY_GRACE_MS) + run.lagMs;
}

/** Whether the second retry may have been refused as well, as the port was opened so late. */
export function mayBeRefusedTwice(
  { times }: Pick<WebhookRun, "times">,
  { submission, refusal }: WebhookCase,
): boolean {
  const [first, second] = times.webhookWaits;
  const openAtMs = refusal?.openAtMs ?? Number.POSITIVE_INFINITY;
  return openAtMs > submission.sentAtMs + first.earliestMs + second.earliestMs;
}

export function isSuccessStep(
  step: AnswerStep | undefined,
): step is Extract<AnswerStep, { kind: "status" }> {
  return step?.kind === "status" && step.status === 200;
}

/**
 * Ours: what happens on the way does not happen so often to the same kind and to no other. On one
 * machine each sample is proof, as what is its own doing was measured.
 */
export const ALIKE_MIN = 2;

/** Ours: an answer passes several threads; each that late, and the answer limit is over. */
export const STALL_SHARE = 0.25;

/** Ours: of the threads that a delivery passes, so many may be that late one after the other. */
export const STALL_LAGS = 3;

/** How a time may be off where the threads that it passed were that late together. */
export function byHostLag(lagMs: number): Explanation {
  const why = "this machine may have been as late itself";
  return { cause: "host lag", atMost: lagMs, why };
}

/** The lag from which on a sender may miss answers. */
export function stallMs({ times }: Pick<WebhookRun, "times">): number {
  return times.webhookAnswerMs * STALL_SHARE;
}

/** Of so many looks, how many were that late. */
export interface Late {
  count: number;
  of: number;
}

/** Ours: what comes about by chance more seldom has another reason. */
export const CHANCE_MIN = 0.001;

/**
 * Whether senders on this machine may have missed so many of their answers, which nothing of ours
 * sees: they stand still no more often, for all that is known, than others there did.
 */
export function mayStandStill(missed: Late, others: Late): boolean {
  if (others.count === 0) return false;
  // One more of each: what was not seen in so many may be there.
  const share = (others.count + 1) / (others.of + 2);
  const isUsual = missed.count <= share * missed.of;
  return isUsual || chanceOfAtLeast(missed.count, missed.of, share) >= CHANCE_MIN;
}

/** How late this machine was at its worst while anything was delivered. */
export function worstLagMs({ cases }: Pick<WebhookRun, "cases">): number {
  return Math.max(0, ...cases.flatMap(({ lagsMs }) => lagsMs));
}

/** Whether the machine is that late at most times: then times say nothing. */
export function isTooBusy(run: Pick<WebhookRun, "times" | "lagMs">): boolean {
  return run.lagMs >= stallMs(run);
}

/** As judges of jobs read it. */
export function historyOf(each: WebhookCase): JobHistory {
  const { endPoll, looks, lastLook } = each;
  // Without a later look it tells what the delivery does, which is another judge's.
  const before = looks.length === 0 && lastLook != null ? [endPoll] : [];
  return {
    submission: each.submission,
    issuedId: each.jobId,
    workerId: workerInPath(each.submission.path),
    polls: [...before, ...looks, lastLook].flatMap((poll) => poll ?? []),
    cancelRequests: each.cancelRequests ?? [],
    expected: null,
    gaveUpAtMs: null,
    deadlineMs: 0,
  };
}

export function askedIn(cases: readonly WebhookCase[]): readonly Exchange[] {
  return cases.flatMap(({ submission, looks }) => [submission, ...looks]);
}

export function answerTimesMs(cases: readonly WebhookCase[]): readonly number[] {
  return askedIn(cases)
    .filter(isSuccess)
    .map(({ sentAtMs, receivedAtMs }) => receivedAtMs - sentAtMs);
}
