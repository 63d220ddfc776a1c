/** Which moments of a job no kept trial of a cancel request fell into. */

import { jobIn } from "../../decode/job.ts";
import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { Exchange } from "../../requests/exchange.ts";
import { isTerminal } from "../../states.ts";

/** Ours: a dispatcher may hold by then what still shows as queued; the suite tries it after 3 s. */
const LONG_QUEUED_MS = 2_500;
/** Ours: so soon before its end a job may be written down already. */
const LAST_MS = 3_000;

/** What counts of a trial: what led to the job, the request, and the polls after it. */
interface Tried {
  submission?: Exchange;
  cancel: Exchange;
  after: readonly Exchange[];
}

/**
 * Nothing where there were no trials.
 * @param timeScale Of the service's times: 1 is real time.
 */
export function cancelsNotTried(
  promise: string,
  trials: readonly Tried[],
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
