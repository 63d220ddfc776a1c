/** Judges whether the answer to a submission waits for the run. Spec §1.2. */

import type { Exchange } from "../exchange.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";

/**
 * A submission and how long its job took as seen from outside: from the sending of the submission
 * to the receipt of the first poll that saw the job ended. That span holds the answer's own time,
 * so no clock and no figure of the service's is needed.
 */
export interface TimedSubmission {
  submission: Exchange;
  endSeenAtMs: number;
}

/**
 * Ours: an answer that waits grows with the job's span one for one, one that does not grows not at
 * all; between the two bounds lies what a busy machine can feign.
 */
const WAITING_SHARE = 0.4;
const NOT_WAITING_SHARE = 0.25;
/** Ours: a median of fewer is one bad moment. */
const SAMPLES_MIN = 2;
/** Ours: below this, two spans can't be told apart on a busy machine. */
const SPAN_DIFFERENCE_MIN_MS = 50;

export function judgeAsynchronous(
  fast: readonly TimedSubmission[],
  slow: readonly TimedSubmission[],
  without: string,
): Finding {
  const promise = "submit.asynchronous";
  if (fast.length < SAMPLES_MIN || slow.length < SAMPLES_MIN) return unobserved(promise, without);
  // Lag makes answers longer, never shorter: the least are the nearest to the service's own.
  const fastAnswerMs = Math.min(...fast.map(answerMs));
  const leastSlowAnswerMs = Math.min(...slow.map(answerMs));
  const slowAnswerMs = median(slow.map(answerMs));
  // A span is seen too long where a poll had to wait its turn, never too short: hence the least.
  const spanDifferenceMs = Math.min(...slow.map(spanMs)) - Math.min(...fast.map(spanMs));
  const evidence = {
    fastAnswerMs,
    leastSlowAnswerMs,
    slowAnswerMs,
    spanDifferenceMs,
    samples: fast.length + slow.length,
  };
  if (spanDifferenceMs < SPAN_DIFFERENCE_MIN_MS) {
    const reason = "the slow jobs took no longer than the others, so waiting would not show";
    return inconclusive(promise, reason, { evidence });
  }
  const shareOf = (answeredMs: number) => (answeredMs - fastAnswerMs) / spanDifferenceMs;
  const told =
    `answers took ${Math.round(fastAnswerMs)} ms for short jobs and ` +
    `${Math.round(slowAnswerMs)} ms for jobs that took ${Math.round(spanDifferenceMs)} ms longer`;
  if (shareOf(leastSlowAnswerMs) >= WAITING_SHARE) {
    const slowest = [...slow].sort((a, b) => answerMs(b) - answerMs(a));
    const exchanges = slowest.map(({ submission }) => submission);
    return broken(promise, `${told}; promised not to wait for the run`, { evidence, exchanges });
  }
  if (shareOf(slowAnswerMs) > NOT_WAITING_SHARE) {
    return inconclusive(promise, `${told}: too noisy to tell`, { evidence });
  }
  return kept(promise, told, { evidence, strength: looksAt(evidence.samples, "jobs") });
}

function answerMs({ submission }: TimedSubmission): number {
  // The transport's own measure leaves out how busy the observer was with other answers.
  return submission.transportMs ?? submission.receivedAtMs - submission.sentAtMs;
}

function spanMs({ submission, endSeenAtMs }: TimedSubmission): number {
  return endSeenAtMs - submission.sentAtMs;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
