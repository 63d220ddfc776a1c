/** What was seen of a job that somebody asked to cancel. Spec §3.2, §4.6. */

import { jobIn } from "../../decode/job.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Explanation } from "../../judging/claim.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { jsonBody } from "../../requests/exchange.ts";
import { isTerminal, parseStatus } from "../../states.ts";
import type { EndChange } from "./end-change.ts";

/** One job, one request to cancel it, and the polls right before and after. */
export interface CancelTrial {
  jobId: string;
  /** The last poll before the request was sent. */
  before: Exchange;
  cancel: Exchange;
  /** Left out by whoever has no submission to compare times with. */
  submission?: Exchange;
  /** Polls sent after the request was answered, in order. */
  after: readonly Exchange[];
  /** What else may have changed the ended job: changes of ended jobs that nobody cancelled. */
  explain?: (change: EndChange, seenAtMs: number) => Explanation | null;
}

/** The jobs that polls show. */
export function readable(polls: readonly Exchange[]): readonly Job[] {
  return polls.flatMap((poll) => jobIn(poll) ?? []);
}

/**
 * Whether the answer calls the job cancelled, which is an end. A 202 says that something is still
 * to be done (RFC 9110 §15.3.3); the shape of the body is open (spec §4.6).
 */
export function saysCancelled({ cancel }: CancelTrial): boolean {
  const body = jsonBody(cancel) as { status?: unknown } | null | undefined;
  return cancel.status === 200 && parseStatus(body?.status)?.state === "cancelled";
}

/** Ours: a dispatcher may hold by then what still shows as queued; the suite tries it after 3 s. */
const LONG_QUEUED_MS = 2_500;
/** Ours: so soon before its end a job may be written down already. */
const LAST_MS = 3_000;

/**
 * Which moments of a job no kept trial fell into; nothing where there were no trials.
 * @param timeScale Of the service's times: 1 is real time.
 */
export function cancelsNotTried(
  promise: string,
  trials: readonly CancelTrial[],
  timeScale: number,
): readonly string[] {
  if (promise === "cancel.queued") {
    const queuedMs = trials.flatMap(({ submission, cancel }) =>
      submission === undefined ? [] : [cancel.sentAtMs - submission.receivedAtMs],
    );
    const isShort = queuedMs.length > 0 && mostOf(queuedMs) < LONG_QUEUED_MS * timeScale;
    return isShort ? ["jobs that have been queued for some seconds"] : [];
  }
  if (promise !== "cancel.not-running") return [];
  const leftMs = trials.flatMap(({ cancel, after }) => {
    const end = after.find((poll) => isTerminal(jobIn(poll)?.state));
    return end === undefined ? [] : [end.receivedAtMs - cancel.sentAtMs];
  });
  const isFar = leftMs.length > 0 && leastOf(leftMs) > LAST_MS * timeScale;
  return isFar ? ["jobs that are about to end"] : [];
}
