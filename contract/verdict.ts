/** What a judge says of a promise, and how findings of several witnesses become one. */

import type { Exchange } from "./exchange.ts";
import type { PromiseId } from "./promises.ts";
import type { Strength } from "./strength.ts";
import { mergedStrength } from "./strength.ts";

export type Verdict = "kept" | "broken" | "inconclusive" | "unobserved";

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** An exchange as a report quotes it: bodies cut, only headers that matter. */
export interface Quote {
  request: string;
  requestBody?: string;
  answer: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  sentAtMs: number;
  tookMs: number;
  key: string | null;
}

/**
 * The judgement of one promise by one witness. `summary` is one sentence for a person, measured
 * against promised. `reason` is set for inconclusive and unobserved, and says why in a sentence;
 * `strength` for kept alone.
 */
export interface Finding {
  promise: PromiseId;
  verdict: Verdict;
  summary: string;
  evidence: Readonly<Record<string, Json>>;
  observations: readonly Quote[];
  reason: string | null;
  strength?: Strength;
}

/** Ours: a report shows an answer, it does not archive it. */
const QUOTED_BODY_CHARS_MAX = 600;
/** Ours: more quotes of the same fault tell a reader nothing new. */
export const QUOTES_MAX = 5;
/** Of an answer; judges read no other header. */
export const QUOTED_HEADERS = ["content-type", "retry-after", "date", "location"];

function quote(exchange: Exchange): Quote {
  const headers: Record<string, string> = {};
  for (const name of QUOTED_HEADERS) {
    const value = exchange.headers[name];
    if (value !== undefined) headers[name] = value;
  }
  return {
    request: `${exchange.method} ${exchange.path}`,
    ...(exchange.requestBody === null ? {} : { requestBody: cutQuote(exchange.requestBody) }),
    answer: exchange.error === null ? String(exchange.status) : `no answer (${exchange.error})`,
    ...(exchange.body === "" ? {} : { body: cutQuote(exchange.body) }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    sentAtMs: exchange.sentAtMs,
    tookMs: exchange.receivedAtMs - exchange.sentAtMs,
    key: exchange.key,
  };
}

/** An exchange of which a report quotes as much, and which takes little room until then. */
export function asQuoted(exchange: Exchange): Exchange {
  const { requestBody, body } = exchange;
  return { ...exchange, requestBody: requestBody && cutQuote(requestBody), body: cutQuote(body) };
}

/** How a text ends that was cut before, and is not cut again. */
const CUT = /… \(\d+ characters\)$/;
const CUT_CHARS_MAX = 40;

export function cutQuote(text: string): string {
  if (text.length <= QUOTED_BODY_CHARS_MAX) return text;
  if (text.length <= QUOTED_BODY_CHARS_MAX + CUT_CHARS_MAX && CUT.test(text)) return text;
  return `${text.slice(0, QUOTED_BODY_CHARS_MAX)}… (${text.length} characters)`;
}

export interface Grounds {
  evidence?: Readonly<Record<string, Json>>;
  /** What is quoted beside exchanges, before them. */
  quotes?: readonly Quote[];
  exchanges?: readonly Exchange[];
}

interface KeptGrounds extends Grounds {
  strength?: Strength;
}

export function kept(promise: PromiseId, summary: string, grounds: KeptGrounds = {}): Finding {
  const { strength } = grounds;
  const found = finding(promise, "kept", summary, null, grounds);
  return strength === undefined ? found : { ...found, strength };
}

export function broken(promise: PromiseId, summary: string, grounds: Grounds = {}): Finding {
  return finding(promise, "broken", summary, null, grounds);
}

export function inconclusive(promise: PromiseId, reason: string, grounds: Grounds = {}): Finding {
  return finding(promise, "inconclusive", reason, reason, grounds);
}

export function unobserved(promise: PromiseId, reason: string): Finding {
  return finding(promise, "unobserved", reason, reason, {});
}

function finding(
  promise: PromiseId,
  verdict: Verdict,
  summary: string,
  reason: string | null,
  grounds: Grounds,
): Finding {
  const exchanges = (grounds.exchanges ?? []).slice(0, QUOTES_MAX).map(quote);
  const observations = [...(grounds.quotes ?? []), ...exchanges].slice(0, QUOTES_MAX);
  return { promise, verdict, summary, evidence: grounds.evidence ?? {}, observations, reason };
}

/**
 * One verdict out of several findings on the same promise: one contradiction breaks it; a doubt or
 * a missing witness withholds `kept`. Throws on an empty list: a promise without a finding is
 * `unobserved` by the caller's own words, which know the reason.
 */
const PRECEDENCE: readonly Verdict[] = ["broken", "inconclusive", "unobserved", "kept"];

export function mergeFindings(findings: readonly Finding[]): Finding {
  const ranked = [...findings].sort(
    (a, b) => PRECEDENCE.indexOf(a.verdict) - PRECEDENCE.indexOf(b.verdict),
  );
  const decisive = ranked[0];
  if (decisive === undefined) throw new Error("mergeFindings: no findings; expected at least one");
  const alike = ranked.filter((each) => each.verdict === decisive.verdict);
  if (alike.length === 1) return decisive;
  const strengths = alike.flatMap(({ strength }) => strength ?? []);
  return {
    ...decisive,
    ...(strengths.length === 0 ? {} : { strength: mergedStrength(strengths) }),
    summary: [...new Set(alike.map((each) => each.summary))].join("; "),
    evidence: Object.assign({}, ...alike.map((each) => each.evidence)) as Finding["evidence"],
    observations: alike.flatMap((each) => each.observations).slice(0, QUOTES_MAX),
    reason: decisive.reason === null ? null : [...new Set(alike.map((a) => a.reason))].join("; "),
  };
}
