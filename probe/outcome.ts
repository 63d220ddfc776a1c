/** How a canary run can end: a closed set, and the pure decisions that lead to each member. */

import { isWebPage } from "../contract/answers/web-page.ts";
import { decodeAccepted } from "../contract/decode/accepted.ts";
import { decodeJob } from "../contract/decode/job.ts";
import { decodeJobList } from "../contract/decode/job-list.ts";
import { namesAnother } from "../contract/judges/job/reading.ts";
import type { Exchange } from "../contract/requests/exchange.ts";
import { errorText, isSuccess, jsonBody } from "../contract/requests/exchange.ts";
import type { EndState, State } from "../contract/states.ts";
import { answerText, isPageInFront } from "./answer-text.ts";

export const OUTCOMES = [
  "success",
  "wrong_state",
  "wrong_result",
  "deadline",
  "http_error",
  "rate_limited",
  "auth",
  "credits",
  "ambiguous_submission",
  "probe_error",
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Outcomes that speak of the service; the others speak of the key, the account or the probe. */
const SERVICE_FAULTS: readonly Outcome[] = [
  "wrong_state",
  "wrong_result",
  "deadline",
  "http_error",
];

/** What an outcome says of the service; "unknown" counts neither for nor against it. */
export function servedWell(outcome: Outcome): "good" | "bad" | "unknown" {
  if (outcome === "success") return "good";
  return SERVICE_FAULTS.includes(outcome) ? "bad" : "unknown";
}

export type Submitted =
  | { kind: "accepted"; jobId: string; state: State; estimatedCredits: number | null }
  /** `mayRun`: the service said that it failed, and may have begun a job: it is looked for. */
  | { kind: "refused"; outcome: Outcome; mayRun: boolean }
  /** A job may exist: the answer was lost, or did not name it. */
  | { kind: "ambiguous"; why: string };

/** What the answer to a submission says. Spec §4.3, §7. */
export function readSubmission(exchange: Exchange): Submitted {
  if (exchange.error !== null) return unanswered(exchange, exchange.error);
  if (isSuccess(exchange)) {
    const { value } = decodeAccepted(jsonBody(exchange));
    if (value?.id == null) return { kind: "ambiguous", why: unnamed(exchange) };
    const { id, state, estimatedCredits } = value;
    return { kind: "accepted", jobId: id, state: state ?? "queued", estimatedCredits };
  }
  const mayRun = exchange.status >= 500;
  return { kind: "refused", outcome: refusal(exchange), mayRun };
}

function unnamed(exchange: Exchange): string {
  return isWebPage(exchange) ? answerText(exchange) : "accepted without an identifier";
}

/** Without a connection nothing was sent; after one, the job may exist. */
function unanswered(exchange: Exchange, error: NonNullable<Exchange["error"]>): Submitted {
  const isUnsent = ["refused", "dns", "tls", "local"].includes(error);
  if (isUnsent) return { kind: "refused", outcome: refusal(exchange), mayRun: false };
  return { kind: "ambiguous", why: errorText(error) };
}

/**
 * The outcome that a request without success stands for. What this machine could not send, or does
 * not read, is the probe's own failure; anything that is no refusal of ours is an HTTP error, and
 * so is what something in front of the service refuses, which knows no key.
 */
export function refusal(exchange: Exchange): Outcome {
  const { status, error } = exchange;
  if (error === "local" || error === "unread") return "probe_error";
  if (isPageInFront(exchange)) return "http_error";
  if (status === 401 || status === 403) return "auth";
  if (status === 402) return "credits";
  return status === 429 ? "rate_limited" : "http_error";
}

/**
 * The outcome of a submission whose answer named no job, and none was found by the deadline. `list`
 * is the last answer of the list of jobs, null where the probe did not ask; `mayBeListed`: a job
 * that it shows may be the submission's, or the job may stand where, or since, nobody looked. A
 * whole list that does not show the job, or that is not answered with JSON either, says that the
 * service failed; one that can't be read, as its shape is open, says nothing. Spec §4, §4.5.
 */
export function outcomeOfLost(list: Exchange | null, mayBeListed: boolean): Outcome {
  if (list === null) return "ambiguous_submission";
  const isRead = list.error === null && isJson(list);
  const isUnknown = isRead && decodeJobList(jsonBody(list)) === null;
  const outcome = isRead ? "http_error" : refusal(list);
  const isOpen = mayBeListed && outcome === "http_error";
  return isUnknown || isOpen ? "ambiguous_submission" : outcome;
}

/** Whether it is an answer at all; a page of a proxy's in its place is none. */
export function isJson(exchange: Exchange): boolean {
  return isSuccess(exchange) && jsonBody(exchange) !== undefined;
}

/** Ours: one such answer may be a slip of the service's, two in a row are its word. */
const REFUSALS_MAX = 2;

/**
 * Whether the last polls were refused in a way that will not end by the deadline: a key that is
 * revoked, an account without credits, a pause that is asked for beyond it.
 */
export function isShutOut(
  polls: readonly Exchange[],
  pausedUntilMs: number,
  deadlineAtMs: number,
): boolean {
  const last = polls.at(-1);
  if (last?.status === 429) return pausedUntilMs >= deadlineAtMs;
  const newest = polls.slice(-REFUSALS_MAX);
  const refused = (poll: Exchange) => ["auth", "credits"].includes(refusal(poll));
  return newest.length === REFUSALS_MAX && newest.every(refused);
}

/** The outcome of a job that was read in a terminal state. */
export function outcomeOfEnd(end: Exchange, expected: EndState): Outcome {
  const { value, problems } = decodeJob(jsonBody(end));
  if (value === null || value.state !== expected) return "wrong_state";
  const spoilt = problems.some(
    ({ promise }) => promise === "job.result-present" || promise === "job.error-only-on-failure",
  );
  return spoilt ? "wrong_result" : "success";
}

/**
 * The outcome of a job whose deadline passed: when the last poll of it was refused or failed, or
 * shows somebody else's job, nobody knows how the job fares, and the service's answer is what is
 * wrong. Where the deadline left the last poll no time for its answer, the one before it tells.
 */
export function outcomeOfDeadline(polls: readonly Exchange[], jobId: string | null): Outcome {
  const last = polls.at(-1);
  if (last === undefined) return "deadline";
  if (isSuccess(last)) return outcomeOfUnread(last, jobId);
  const before = polls.at(-2);
  const isOpen = before !== undefined && isSuccess(before);
  if (isCut(last) && isOpen && outcomeOfUnread(before, jobId) === "deadline") return "deadline";
  return refusal(last);
}

/** Ours: a service that far away, or that slow, answers all the same. */
const CUT_MS = 2_000;

/** Whether a poll was not answered because the deadline left it little time. */
function isCut({ error, sentAtMs, receivedAtMs }: Exchange): boolean {
  return error === "timeout" && receivedAtMs - sentAtMs < CUT_MS;
}

/** An answer that shows no state of the job is no sign of a slow one, but wrong by itself. */
function outcomeOfUnread(last: Exchange, jobId: string | null): Outcome {
  const body = jsonBody(last);
  if (body === undefined) return "http_error";
  const { value } = decodeJob(body);
  if (value === null) return "wrong_result";
  if (value.state === null) return "wrong_state";
  return namesAnother(value, jobId) ? "wrong_result" : "deadline";
}
