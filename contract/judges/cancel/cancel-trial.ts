/** What was seen of a job that somebody asked to cancel. Spec §3.2, §4.6. */

import { jobIn } from "../../decode/job.ts";
import type { Job } from "../../decode/job-types.ts";
import type { Explanation } from "../../judging/claim.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { jsonBody } from "../../requests/exchange.ts";
import { parseStatus } from "../../states.ts";
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
