/** Judges how requests without a valid key are answered. Spec §4, §5, §7. */

import { decodeAuthError } from "../decode/auth-error.ts";
import type { Read } from "../judging/claim.ts";
import { countsOf } from "../judging/claim.ts";
import { judgeCounted } from "../judging/decide.ts";
import { mostOf } from "../numbers/extremes.ts";
import type { Exchange } from "../requests/exchange.ts";
import { isSuccess, jsonBody } from "../requests/exchange.ts";
import type { Finding } from "../verdict.ts";
import type { StatusCase } from "./expected-status.ts";
import { answered, judgeStatus, statusOutcome, UNAUTHORIZED } from "./expected-status.ts";

/** Statuses that tell nothing: an endpoint may look at id, method and body before the key. */
const LOOKED_ELSEWHERE = [400, 404, 405, 415, 422, 501];

/** An id or a body may be looked at before the key. */
function looksAtKey({ attempts }: StatusCase): boolean {
  return !LOOKED_ELSEWHERE.includes(attempts.at(-1)?.status ?? 0);
}

/**
 * `endpoints` are the other ones of §4, asked with the same key: the account's answers come first,
 * and the others can only contradict or confirm them.
 */
export function judgeWrongKey(
  promise: "auth.invalid-key" | "auth.revoked-key",
  cases: readonly StatusCase[],
  endpoints: readonly StatusCase[],
  reason?: string,
): Finding {
  const first = judgeStatus(promise, cases, reason);
  if (first.verdict === "broken") return first;
  const all = judgeStatus(promise, [...cases, ...endpoints.filter(looksAtKey)], reason);
  return first.verdict === "kept" || all.verdict === "broken" ? all : first;
}

export function judgeAuthErrorBody(exchanges: readonly Exchange[]): Finding {
  const refused = exchanges.filter(({ status }) => status === UNAUTHORIZED);
  const faults = refused.flatMap((exchange) => {
    const [problem] = decodeAuthError(jsonBody(exchange)).problems;
    if (problem === undefined) return [];
    const { path, expected, got } = problem;
    return [{ what: `${path} is ${got}; promised ${expected}`, exchanges: [exchange] }];
  });
  return judgeCounted({
    promise: "auth.error-body",
    faults,
    open: refused.length > 0 ? [] : [{ what: "no request was answered 401" }],
    good: refused.length - faults.length,
    of: "responses",
    off: "with 401 have a wrong body",
    kept: `all ${refused.length} responses with 401 have error, message and status`,
    without: "",
  });
}

/** Refusals in place of 401 that leave no doubt that the missing key was meant. */
const REFUSED_WITHOUT_KEY = [400, 403];

/**
 * Each endpoint without a key: anything but a 401 that is not about id, method or body breaks. A
 * service that refuses them with the same other status everywhere asks for the key everywhere:
 * that the status is wrong is judged as auth.missing-key, by what /v1/me answers.
 */
export function judgeEveryEndpoint(
  cases: readonly StatusCase[],
  without = "no endpoint was requested without a key",
): Finding {
  const usual = cases.find(({ attempts }) => attempts.at(-1)?.route === "me")?.attempts.at(-1);
  const refusal = REFUSED_WITHOUT_KEY.find((status) => status === usual?.status) ?? UNAUTHORIZED;
  const isRefusal = (status: number) => status === UNAUTHORIZED || status === refusal;
  const reads = cases.map((each): Read => {
    const seen = answered(each);
    const outcome = statusOutcome(each, isRefusal, LOOKED_ELSEWHERE);
    if (outcome === "as promised") return { says: "good" };
    // Who closes the connection has let nobody in.
    const isAnswered = each.attempts.at(-1)?.status !== 0;
    if (outcome === "contradicts" && isAnswered) {
      return { says: "fault", ...seen, what: `${seen.what}; promised 401` };
    }
    const what = `without a key, not clear whether it counts: ${seen.what}`;
    return { says: "open", ...seen, what };
  });
  return judgeCounted({
    promise: "auth.every-endpoint",
    ...countsOf(reads),
    of: "requests",
    off: "were answered without a key",
    kept: `all ${cases.length} endpoints refuse without a key`,
    without,
    quorum: { openShare: 0 },
  });
}

/** Ours: so many refusals make who sends them look like one who guesses keys, and no accident. */
const GUESSES_MIN = 10;
const ENDPOINTS_MIN = 3;
/** How such a client is told to wait, or that it is barred, is open. RFC 6585 §4, RFC 9110. */
export const FORBIDDEN = 403;
const TO_WAIT = 429;

/**
 * Whether a request was refused as whoever sends it seems to guess keys: after many answers 401 he
 * is to wait, or is barred, so that none comes any more, at whichever endpoint.
 */
export function isHeldOffIn(all: readonly StatusCase[]): (each: StatusCase) => boolean {
  const answers = all.flatMap(({ attempts }) => attempts);
  const refused = answers.filter(({ status }) => status === UNAUTHORIZED);
  const untilMs = mostOf(refused.map(({ sentAtMs }) => sentAtMs));
  const later = answers.filter(({ sentAtMs }) => sentAtMs > untilMs);
  const barred = later.filter(({ status }) => status === FORBIDDEN);
  const isGuessing = refused.length >= GUESSES_MIN;
  const isBarred =
    isGuessing &&
    barred.length >= GUESSES_MIN &&
    new Set(barred.map(({ route }) => route)).size >= ENDPOINTS_MIN &&
    !later.some(isSuccess);
  return ({ attempts }) => {
    const last = attempts.at(-1);
    if (last?.status === TO_WAIT) return isGuessing;
    return isBarred && last?.status === FORBIDDEN && last.receivedAtMs > untilMs;
  };
}
