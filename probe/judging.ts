/** The judges of the contract on single canaries: which promises this one has seen broken. */

import { retryAfterOf } from "../contract/answers/retry-after.ts";
import { decodeJob, jobIn } from "../contract/decode/job.ts";
import type { Delivery, SignatureScheme } from "../contract/jobs/delivery.ts";
import { ANSWER_OK, checkedScheme } from "../contract/jobs/delivery.ts";
import type { JobHistory } from "../contract/jobs/job-history.ts";
import { judgeAccountReadable } from "../contract/judges/account.ts";
import type { CancelTrial } from "../contract/judges/cancel/cancel-trial.ts";
import { judgeCancel } from "../contract/judges/cancel/index.ts";
import { judgeJobs } from "../contract/judges/job.ts";
import { judgeAccepted } from "../contract/judges/submit.ts";
import { boundsOf } from "../contract/judges/timeout/bounds.ts";
import type { WebhookCase, WebhookRun } from "../contract/judges/webhook/case.ts";
import { judgeWebhooks } from "../contract/judges/webhook/index.ts";
import { judgeDetailShape, judgeListShape } from "../contract/judges/workers.ts";
import type { PromiseId } from "../contract/promises.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { isSuccess, jsonBody } from "../contract/requests/exchange.ts";
import type { EndState } from "../contract/states.ts";
import { isTerminal } from "../contract/states.ts";
import type { Target } from "../contract/target.ts";
import type { Promising } from "../contract/time/promised-times.ts";
import { promisedTimes } from "../contract/time/promised-times.ts";
import type { Finding } from "../contract/verdict.ts";
import { broken } from "../contract/verdict.ts";
import { isLocal } from "../receiver/reachability.ts";
import { isPageInFront } from "./answer-text.ts";

/** Judges that compare the service's clock with the probe's own. */
const BY_CLOCK: readonly PromiseId[] = ["job.timestamps", "job.duration", "job.never-lost"];

/** Ours: a job that stood still for half of its deadline is not merely slow to begin. */
const STUCK_SHARE = 0.5;

/**
 * Contradictions in one job's history. `timed` is false where the probe was away meanwhile: its
 * clock may have been set, and then times of before and after can't be compared.
 */
export function violationsOfJob(history: JobHistory, timed: boolean): readonly Finding[] {
  const isAnswered = !isPageInFront(history.submission);
  const findings = [...(isAnswered ? judgeAccepted([history]) : []), ...judgeJobs([history])];
  return contradictions(findings).filter(({ promise }) => timed || !BY_CLOCK.includes(promise));
}

/**
 * A job that was open at its deadline, as the judges may read it. The deadline is the operator's
 * wish: that a job stands still is held against the service only when it does so for longer than
 * its worker may run, and where that limit is not known, never; nor while its environment starts
 * up, of which no limit speaks. Spec §2.3, §3.1.
 */
export function heldToLimit(
  history: JobHistory,
  limitSeconds: number | null,
  target: Promising,
): JobHistory {
  if (limitSeconds === null || isStartingUp(history)) return { ...history, gaveUpAtMs: null };
  const { limitMs, lateMs } = boundsOf(limitSeconds, promisedTimes(target));
  const lostAfterMs = Math.max(history.deadlineMs * STUCK_SHARE, limitMs + lateMs);
  return { ...history, lostAfterMs };
}

function isStartingUp({ polls }: JobHistory): boolean {
  const last = polls.findLast(isSuccess);
  return last !== undefined && decodeJob(jsonBody(last)).value?.state === "starting";
}

/** Contradictions in what a request to cancel a queued job did. */
export function violationsOfCancel(trial: CancelTrial): readonly Finding[] {
  const context = { without: "nothing was cancelled", methodUnknown: false, methodWorks: true };
  return contradictions([judgeCancel("cancel.queued", [trial], context)]);
}

/** Contradictions in what the account or the catalogue answered. One answer is one sample. */
export function violationsOfCheck(check: Exchange): readonly Finding[] {
  if (isPageInFront(check)) return [];
  const sample = { what: check.path, attempts: [check] };
  if (check.route === "workers") return contradictions([judgeListShape(sample)]);
  const isOnAccount = check.route === "me" || check.route === "credits";
  return isOnAccount ? contradictions([judgeAccountReadable([sample])]) : [];
}

/** Contradictions in what was answered about one worker. */
export function violationsOfDetail(detail: Exchange): readonly Finding[] {
  if (isPageInFront(detail)) return [];
  return contradictions([judgeDetailShape([{ what: detail.path, attempts: [detail] }])]);
}

/** Contradictions in a refusal of the probe's own requests. */
export function violationsOfRefusal(exchange: Exchange): readonly Finding[] {
  if (exchange.status !== 429) return [];
  const { form } = retryAfterOf(exchange);
  const exchanges = [exchange];
  if (form === "absent") {
    return [broken("rate.retry-after-present", "a 429 without Retry-After", { exchanges })];
  }
  if (form !== "invalid") return [];
  return [broken("rate.retry-after-valid", "Retry-After is neither form", { exchanges })];
}

export interface WebhookWatch {
  part: string;
  history: JobHistory;
  /** How the job ended; null where that was not seen. */
  end: EndState | null;
  deliveries: readonly Delivery[];
  endKnownAtMs: number | null;
  watchedUntilMs: number;
  /** The worst lag of this machine since the first delivery. */
  lagMs: number;
  /** Whether the service is known to reach the receiver. */
  isReached: boolean;
}

/**
 * Contradictions in the deliveries of one job. `before`: where its delivery came again, an earlier
 * one of which that is true as well; one alone may be the doing of a network that lost an answer.
 */
export function violationsOfWebhook(
  watch: WebhookWatch,
  target: Target,
  before: WebhookWatch | null = null,
): readonly Finding[] {
  const alone = brokenIn([watch], target);
  if (before === null || [alone, brokenIn([before], target)].some(saysRepeated)) return alone;
  const both = brokenIn([before, watch], target);
  return [...alone, ...both.filter(isOnRepeats)];
}

const isOnRepeats = ({ promise }: Finding) => promise === "webhook.once";
const saysRepeated = (findings: readonly Finding[]) => findings.some(isOnRepeats);

function brokenIn(watches: readonly WebhookWatch[], target: Target): readonly Finding[] {
  const lagMs = Math.max(...watches.map((each) => each.lagMs));
  const isOnThisMachine = isLocal(target) && target.webhook?.publicUrl === null;
  const isReached = isOnThisMachine && watches.every((each) => each.isReached);
  const run: WebhookRun = {
    cases: watches.map(caseOf),
    unasked: [],
    times: promisedTimes(target),
    lagMs,
    signatureScheme: checkedSchemeOf(target),
    keys: target.keys,
    // Read at once and forgotten, so that nothing waits to be evicted.
    pushedOut: { deliveries: 0, tokens: 0 },
    isProxied: target.webhook?.publicUrl?.startsWith("https:") ?? false,
    isLocal: isOnThisMachine,
    // Of the way to another machine one delivery says nothing for the next.
    receiverReach: isReached ? "seen" : "unknown",
  };
  return contradictions(judgeWebhooks(run));
}

/** What the receiver checks signatures of webhooks by. */
export function checkedSchemeOf({ webhook }: Pick<Target, "webhook">): SignatureScheme {
  if (webhook === null) return "present";
  const { scheme, secretEnvs } = webhook.signature;
  return checkedScheme({ scheme, hasSecret: secretEnvs.length > 0 });
}

function caseOf(watch: WebhookWatch): WebhookCase {
  const { history, deliveries } = watch;
  const firstAtMs = deliveries[0]?.arrivedAtMs ?? Number.POSITIVE_INFINITY;
  return {
    kind: "first",
    part: watch.part,
    endSeen: watch.end,
    script: [ANSWER_OK],
    submission: history.submission,
    jobId: history.issuedId,
    deliveries,
    looks: history.polls.filter(({ sentAtMs }) => sentAtMs > firstAtMs),
    endPoll: history.polls.find((poll) => isTerminal(jobIn(poll)?.state)) ?? null,
    endKnownAtMs: watch.endKnownAtMs,
    watchedUntilMs: watch.watchedUntilMs,
    lagsMs: deliveries.slice(1).map(() => watch.lagMs),
  };
}

function contradictions(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ verdict }) => verdict === "broken");
}
