/** Judges what the service answers to strangers. Spec §4, §5, §7. */

import { decodeAuthError } from "../decode/auth-error.ts";
import type { Exchange } from "../exchange.ts";
import { jsonBody } from "../exchange.ts";
import { looksAt } from "../strength.ts";
import type { Finding } from "../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../verdict.ts";
import type { StatusCase, StatusRule } from "./expected-status.ts";
import { judgeStatus, statusOutcome } from "./expected-status.ts";

/** Status for a missing, invalid or revoked key. Spec §5.2. */
const UNAUTHORIZED = 401;

/** Statuses that tell nothing: an endpoint may look at id, method and body before the key. */
const LOOKED_ELSEWHERE = [400, 404, 405, 415, 422, 501];

export function judgeMissingKey(cases: readonly StatusCase[]): Finding {
  return judgeStatus(
    {
      promise: "auth.missing-key",
      expected: UNAUTHORIZED,
      doubtful: [],
      withoutCases: "no request was sent without a key",
    },
    cases,
  );
}

/** `endpoints` are the other ones of §4, asked with an unknown key. */
export function judgeInvalidKey(
  cases: readonly StatusCase[],
  endpoints: readonly StatusCase[] = [],
): Finding {
  const rule = {
    promise: "auth.invalid-key",
    expected: UNAUTHORIZED,
    doubtful: [],
    withoutCases: "no request was sent with an unknown key",
  } as const;
  return judgeEverywhere(rule, cases, endpoints.filter(looksAtKey));
}

/** `endpoints` are the other ones of §4, asked with the revoked key. */
export function judgeRevokedKey(
  cases: readonly StatusCase[],
  endpoints: readonly StatusCase[] = [],
): Finding {
  const rule = {
    promise: "auth.revoked-key",
    expected: UNAUTHORIZED,
    doubtful: [],
    withoutCases: "the target names no revoked key",
  } as const;
  return judgeEverywhere(rule, cases, endpoints.filter(looksAtKey));
}

/** An id or a body may be looked at before the key. */
function looksAtKey({ attempts }: StatusCase): boolean {
  return !LOOKED_ELSEWHERE.includes(attempts.at(-1)?.status ?? 0);
}

/** The account's answers come first; the other endpoints can only contradict or confirm them. */
function judgeEverywhere(
  rule: StatusRule,
  cases: readonly StatusCase[],
  endpoints: readonly StatusCase[],
): Finding {
  const first = judgeStatus(rule, cases);
  if (first.verdict === "broken") return first;
  const all = judgeStatus(rule, [...cases, ...endpoints]);
  return first.verdict === "kept" || all.verdict === "broken" ? all : first;
}

/** Reads the body of every 401 among the exchanges. */
export function judgeAuthErrorBody(exchanges: readonly Exchange[]): Finding {
  const promise = "auth.error-body";
  const refused = exchanges.filter(({ status }) => status === UNAUTHORIZED);
  if (refused.length === 0) return inconclusive(promise, "no request was answered 401");
  const faulty = refused.flatMap((exchange) => {
    const problem = decodeAuthError(jsonBody(exchange)).problems[0];
    return problem === undefined ? [] : [{ exchange, problem }];
  });
  const first = faulty[0];
  if (first === undefined) {
    return kept(promise, `all ${refused.length} answers 401 have error, message and status`, {
      evidence: { samples: refused.length },
      strength: looksAt(refused.length, "answers"),
    });
  }
  const { path, expected, got } = first.problem;
  return broken(
    promise,
    `${faulty.length} of ${refused.length} answers 401 have a wrong body: ` +
      `${path} is ${got}; promised ${expected}`,
    {
      evidence: { samples: refused.length, wrong: faulty.length },
      exchanges: faulty.map(({ exchange }) => exchange),
    },
  );
}

/** Refusals in place of 401 that leave no doubt that a stranger was meant. */
const REFUSED_STRANGERS = [400, 403];

/**
 * Each endpoint without a key: anything but a 401 that is not about id, method or body breaks. A
 * service that refuses strangers with the same other status everywhere asks for the key everywhere:
 * that the status is wrong is judged as auth.missing-key, by what /v1/me answers.
 */
export function judgeEveryEndpoint(cases: readonly StatusCase[]): Finding {
  const promise = "auth.every-endpoint";
  if (cases.length === 0) return unobserved(promise, "no endpoint was asked without a key");
  const usual = cases.find(({ attempts }) => attempts.at(-1)?.route === "me")?.attempts.at(-1);
  const refusal = REFUSED_STRANGERS.find((status) => status === usual?.status) ?? UNAUTHORIZED;
  const isRefusal = (status: number) => status === UNAUTHORIZED || status === refusal;
  const sorted = cases.map((each) => ({
    what: each.what,
    last: each.attempts.at(-1),
    outcome: statusOutcome(each, isRefusal, LOOKED_ELSEWHERE),
  }));
  const told = (of: typeof sorted) =>
    of.map(({ what, last }) => `${what} ${last?.status ?? 0}`).join(", ");
  const exchanges = (of: typeof sorted) => of.flatMap(({ last }) => last ?? []);
  const wrong = sorted.filter(({ outcome }) => outcome === "contradicts");
  if (wrong.length > 0) {
    return broken(promise, `answered without a key: ${told(wrong)}; promised 401`, {
      evidence: { endpoints: cases.length, open: wrong.length },
      exchanges: exchanges(wrong),
    });
  }
  const unclear = sorted.filter(({ outcome }) => outcome !== "as promised");
  if (unclear.length > 0) {
    return inconclusive(promise, `without a key, not clear whether it counts: ${told(unclear)}`, {
      evidence: { endpoints: cases.length, unclear: unclear.length },
      exchanges: exchanges(unclear),
    });
  }
  return kept(promise, `all ${cases.length} endpoints refuse without a key`, {
    evidence: { endpoints: cases.length },
    strength: looksAt(cases.length, "requests"),
  });
}
