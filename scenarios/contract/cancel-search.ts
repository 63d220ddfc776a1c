/**
 * Which of several requests cancels, told by what became of the jobs that they were sent to: an
 * effect may come late, when the next request has been sent already. Spec §4.6.
 */

import { isOtherMethod } from "../../contract/judges/cancel/index.ts";
import { isSuccess } from "../../contract/requests/exchange.ts";
import type { CancelRequest } from "../client/cancel-request.ts";

/** What was sent to one queued job, and what became of the job. */
export interface Attempt {
  requests: readonly { request: CancelRequest; status: number }[];
  /** `raced`: it began to run before it could be seen waiting after the request. */
  outcome: "cancelled" | "survived" | "raced";
}

export interface Wanted {
  /** Best first. */
  requests: readonly CancelRequest[];
  /** Each on a job of its own: one of them is suspected to have cancelled a job. */
  alone: boolean;
}

/** Ours: a request that failed alone as often was not what cancelled a job. */
const FAILURES_MAX = 2;

/** The requests to try next; none of them when all were tried in vain. */
export function wantedRequests(
  candidates: readonly CancelRequest[],
  attempts: readonly Attempt[],
): Wanted {
  const usable = candidates.filter(({ method }) => !isRuledOut(method, attempts));
  const failures = (request: CancelRequest) =>
    attempts.filter((each) => isAlone(each, request) && each.outcome === "survived").length;
  const suspects = usable
    .filter((request) => attempts.some((each) => isSuspect(each, request)))
    .filter((request) => failures(request) < FAILURES_MAX)
    .sort((a, b) => failures(a) - failures(b) || wasSuccess(b, attempts) - wasSuccess(a, attempts));
  if (suspects.length > 0) return { requests: suspects, alone: true };
  const isTried = (request: CancelRequest) =>
    attempts.some((each) => each.outcome !== "raced" && suspectsOf(each).includes(request));
  return { requests: usable.filter((request) => !isTried(request)), alone: false };
}

/**
 * The request that alone cancelled a job, and was sent to another one that was cancelled; where
 * none did, the only one that can be it.
 */
export function methodFound(
  candidates: readonly CancelRequest[],
  attempts: readonly Attempt[],
): CancelRequest | null {
  const found = candidates.find((request) => {
    const by = attempts.filter((each) => isSuspect(each, request));
    return by.length >= 2 && by.some((each) => isAlone(each, request));
  });
  return found ?? onlyRequest(candidates, attempts);
}

/** Conflict: the request is understood, and the job's state is against it. RFC 9110, 15.5.10. */
const CONFLICT = 409;

/**
 * The service has no method but its, and understood it, though a job that waited was not cancelled.
 * Of a method with several bodies nobody knows whether the right one was among them.
 */
export function onlyRequest(
  candidates: readonly CancelRequest[],
  attempts: readonly Attempt[],
): CancelRequest | null {
  const [only, ...others] = candidates.filter(({ method }) => !isRuledOut(method, attempts));
  if (only === undefined || others.length > 0) return null;
  const isUnderstood = attempts.some(
    (each) =>
      isAlone(each, only) &&
      each.outcome === "survived" &&
      each.requests.some(
        ({ request, status }) => request === only && (isSuccess({ status }) || status === CONFLICT),
      ),
  );
  return isUnderstood ? only : null;
}

/** Requests that may have had an effect on the job. */
function suspectsOf({ requests }: Attempt): readonly CancelRequest[] {
  return requests.filter((each) => !isOtherMethod(each)).map(({ request }) => request);
}

/** Answered so by the path, whatever the body; a method that it has may refuse so now and then. */
export function isRuledOut(method: string, attempts: readonly Pick<Attempt, "requests">[]) {
  const answers = attempts
    .flatMap(({ requests }) => requests)
    .filter(({ request }) => request.method === method);
  return answers.length > 0 && answers.every(isOtherMethod);
}

function isSuspect(attempt: Attempt, request: CancelRequest): boolean {
  return attempt.outcome === "cancelled" && suspectsOf(attempt).includes(request);
}

export function isAlone(attempt: Attempt, request: CancelRequest): boolean {
  const suspects = suspectsOf(attempt);
  return suspects.length === 1 && suspects[0] === request;
}

function wasSuccess(request: CancelRequest, attempts: readonly Attempt[]): number {
  const answers = attempts.flatMap(({ requests }) => requests);
  return answers.some((each) => each.request === request && isSuccess(each)) ? 1 : 0;
}
