/** What a judge says of a promise, and how findings of several witnesses become one. */

import type { PromiseId } from "./promises.ts";
import type { Exchange } from "./requests/exchange.ts";
import { errorText, headersNamed } from "./requests/exchange.ts";
import type { Strength } from "./strength.ts";
import { mergedStrength } from "./strength.ts";
import type { ClockSet } from "./timeline/clock-offset.ts";

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
  /** Of the service's trace of the request; where traces were asked for. */
  traceId?: string;
}

/** A promise that is broken; of one key, where keys are judged apart. */
export interface Breach {
  promise: PromiseId;
  key?: string;
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
  /**
   * Of an inconclusive one: breaches that would explain all of the doubt. Of those that name the
   * same key, or none, one is enough.
   */
  explainedBy?: readonly Breach[];
  /**
   * Of an inconclusive one: what must have happened, as nothing else explains it, and what happens
   * once in a run at the most.
   */
  once?: readonly ClockSet[];
  /** Of an inconclusive one: of what kinds all of a witness' doubt is, as evidence counts them. */
  kinds?: Kinds;
  /** Of a broken one: the keys on which it is; left out where keys are not judged apart. */
  keys?: readonly string[];
  /**
   * By a witness that looks after something else: it may contradict the promise and adds its
   * samples, but that it saw nothing withholds no `kept`, and that it saw no fault makes none.
   */
  inPassing?: true;
}

/** By what there are kinds of: `{ "ways to fail": ["a refused connection"] }`. */
export type Kinds = Readonly<Record<string, readonly string[]>>;

/** Ours: a report shows an answer, it does not archive it. */
const QUOTED_BODY_CHARS_MAX = 600;
/** Ours: more quotes of the same fault tell a reader nothing new. */
export const QUOTES_MAX = 5;
/** Whether a cache on the way gave an answer. RFC 9111 §5.1. */
export const CACHE_HEADERS = ["age", "x-cache", "cf-cache-status"];
/** Of an answer, for a reader. */
export const QUOTED_HEADERS = ["content-type", "retry-after", "date", "location", ...CACHE_HEADERS];
/** By which the service's owner finds the request in a log; no two answers have them alike. */
export const REQUEST_ID_HEADERS = [
  "x-request-id",
  "x-correlation-id",
  "x-amzn-requestid",
  "x-trace-id",
  "cf-ray",
];

function quote(exchange: Exchange): Quote {
  const headers = headersNamed(exchange, [...QUOTED_HEADERS, ...REQUEST_ID_HEADERS]);
  return {
    request: `${exchange.method} ${exchange.path}`,
    ...(exchange.requestBody === null ? {} : { requestBody: cutQuote(exchange.requestBody) }),
    answer: exchange.error === null ? String(exchange.status) : errorText(exchange.error),
    ...(exchange.body === "" ? {} : { body: cutQuote(exchange.body) }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    sentAtMs: exchange.sentAtMs,
    tookMs: exchange.receivedAtMs - exchange.sentAtMs,
    key: exchange.key,
    ...(exchange.traceId === undefined ? {} : { traceId: exchange.traceId }),
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

/** Ours: what is told of a longer text within a body, so that there is room for other fields. */
const QUOTED_TEXT_CHARS = 60;
const QUOTED_TEXT_CHARS_MAX = 100;
/** Ours: what comes later has no room in a quote in any case. */
const LOOKED_AT_CHARS = 20 * QUOTED_BODY_CHARS_MAX;

export function cutQuote(text: string): string {
  if (text.length <= QUOTED_BODY_CHARS_MAX) return text;
  if (text.length <= QUOTED_BODY_CHARS_MAX + CUT_CHARS_MAX && CUT.test(text)) return text;
  const short = withShortTexts(text.slice(0, LOOKED_AT_CHARS));
  if (text.length <= LOOKED_AT_CHARS && short.length <= QUOTED_BODY_CHARS_MAX) return short;
  return `${beginningOf(short, QUOTED_BODY_CHARS_MAX)}… (${text.length} characters)`;
}

/** A character of two code units is left out whole. */
function beginningOf(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\uD800-\uDBFF]$/, "");
}

/** With the beginnings of long texts in JSON, all else as it was written. */
function withShortTexts(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => {
    const length = quoted.length - 2;
    if (length <= QUOTED_TEXT_CHARS_MAX) return quoted;
    return `"${beginningOf(quoted.slice(1, -1), QUOTED_TEXT_CHARS)}… (${length} characters)"`;
  });
}

interface Grounds {
  evidence?: Readonly<Record<string, Json>>;
  /** What is quoted beside exchanges, before them. */
  quotes?: readonly Quote[];
  exchanges?: readonly Exchange[];
}

/** With what a finding of that verdict says beside them. */
type GroundsWith<Said extends keyof Finding> = Grounds & Pick<Finding, Said>;

export function kept(
  promise: PromiseId,
  summary: string,
  grounds: GroundsWith<"strength"> = {},
): Finding {
  const { strength } = grounds;
  const found = finding(promise, "kept", summary, null, grounds);
  return strength === undefined ? found : { ...found, strength };
}

export function broken(
  promise: PromiseId,
  summary: string,
  grounds: GroundsWith<"keys"> = {},
): Finding {
  const { keys = [] } = grounds;
  const found = finding(promise, "broken", summary, null, grounds);
  return keys.length === 0 ? found : { ...found, keys };
}

export function inconclusive(
  promise: PromiseId,
  reason: string,
  grounds: GroundsWith<"explainedBy" | "once" | "kinds"> = {},
): Finding {
  const { explainedBy = [], once = [], kinds = {} } = grounds;
  const found = finding(promise, "inconclusive", reason, reason, grounds);
  return {
    ...found,
    ...(explainedBy.length === 0 ? {} : { explainedBy }),
    ...(once.length === 0 ? {} : { once: eachOnce(once) }),
    ...(Object.keys(kinds).length === 0 ? {} : { kinds }),
  };
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
  const exchanges = (grounds.exchanges ?? []).slice(0, QUOTES_MAX);
  const observations = [...(grounds.quotes ?? []), ...exchanges.map(quote)].slice(0, QUOTES_MAX);
  const seen = [...(grounds.quotes ?? []).map(quoteSeen), ...exchanges.map(seenIn)];
  const isTold = verdict === "broken" && seen.length > 0;
  const evidence = { ...grounds.evidence, ...(isTold ? { seen: seen.slice(0, QUOTES_MAX) } : {}) };
  return { promise, verdict, summary, evidence, observations, reason };
}

/** The job that the path names, or else the answer; by any of the names that identifiers have. */
const JOB_IN_PATH = /^\/v1\/jobs\/([^/?]+)/;
const JOB_IN_BODY = /"job_(?:uu)?id"\s*:\s*"([^"]+)"/;

/** For the owner of the service, to find the request in logs of their own. */
function seenIn({ method, path, status, error, body, sentAtMs, traceId }: Exchange): Json {
  const job = JOB_IN_PATH.exec(path)?.[1] ?? JOB_IN_BODY.exec(body)?.[1];
  return {
    at: new Date(sentAtMs).toISOString(),
    request: `${method} ${path}`,
    answer: error === null ? String(status) : `no response (${error})`,
    ...(job === undefined ? {} : { job }),
    ...(traceId === undefined ? {} : { trace: traceId }),
  };
}

/** A delivery is quoted as it was received, without an exchange of ours. */
function quoteSeen({ request, answer, sentAtMs }: Quote): Json {
  return { at: new Date(sentAtMs).toISOString(), request, answer };
}

/** Of one that is kept: what else nobody tried. */
export function withNotTried(found: Finding, more: readonly string[]): Finding {
  const { strength } = found;
  if (strength === undefined || more.length === 0) return found;
  return { ...found, strength: { ...strength, notTried: [...strength.notTried, ...more] } };
}

const PRECEDENCE: readonly Verdict[] = ["broken", "inconclusive", "unobserved", "kept"];

/**
 * One verdict out of several findings on the same promise: one contradiction breaks it; a doubt or
 * a missing witness withholds `kept`. Witnesses in passing contradict, and add their samples.
 * Throws where nobody who was asked has a finding: such a promise is `unobserved` by the caller's
 * own words, which know the reason.
 */
export function mergeFindings(findings: readonly Finding[]): Finding {
  const counted = findings.filter((each) => each.inPassing !== true || each.verdict === "broken");
  const ranked = [...counted].sort(
    (a, b) => PRECEDENCE.indexOf(a.verdict) - PRECEDENCE.indexOf(b.verdict),
  );
  const decisive = ranked[0];
  if (decisive === undefined) throw new Error("mergeFindings: no findings; expected at least one");
  const alike = ranked.filter((each) => each.verdict === decisive.verdict);
  const own = alike.filter(({ inPassing }) => inPassing !== true);
  if (alike.length === 1 && findings.length === 1 && own.length === 1) return decisive;
  // Last what those say who look after the promise: it stands, where two say the same thing.
  const evidences = [...alike.filter(({ inPassing }) => inPassing === true), ...own];
  const { inPassing: _, explainedBy: _breaches, once: _once, keys: _keys, ...rest } = decisive;
  const explainedBy = ofEach(alike.map((each) => each.explainedBy ?? []));
  const once = eachOnce(alike.flatMap((each) => each.once ?? []));
  const kinds = allKinds(alike.map((each) => each.kinds ?? {}));
  const keys = ofEach(alike.map((each) => each.keys ?? []));
  const told = [...new Set((own.length > 0 ? own : alike).map((each) => each.summary))];
  const seen = alike.flatMap(({ evidence }) => (Array.isArray(evidence.seen) ? evidence.seen : []));
  return {
    ...rest,
    ...strengthOf(own, findings),
    ...(explainedBy.length === 0 ? {} : { explainedBy }),
    ...(once.length === 0 ? {} : { once }),
    ...(Object.keys(kinds).length === 0 ? {} : { kinds }),
    ...(keys.length === 0 ? {} : { keys }),
    summary: told.join("; "),
    evidence: {
      ...(Object.assign({}, ...evidences.map((each) => each.evidence)) as Finding["evidence"]),
      ...countsOver(own.length > 0 ? own : alike),
      ...(seen.length === 0 ? {} : { seen: seen.slice(0, QUOTES_MAX) as readonly Json[] }),
    },
    observations: alike.flatMap((each) => each.observations).slice(0, QUOTES_MAX),
    reason: decisive.reason === null ? null : [...new Set(alike.map((a) => a.reason))].join("; "),
  };
}

/**
 * The same of all runs of a gate, where the summary of what is kept tells what was looked at in
 * passing, too: the strength counts it.
 */
export function mergeRuns(findings: readonly Finding[]): Finding {
  const merged = mergeFindings(findings);
  const main = findings.find(({ inPassing }) => inPassing !== true)?.strength?.looks[0]?.of;
  const beside = findings.flatMap(({ inPassing, strength }) =>
    inPassing === true ? (strength?.looks.filter(({ of }) => of === main) ?? []) : [],
  );
  const count = beside.reduce((sum, each) => sum + each.count, 0);
  if (merged.verdict !== "kept" || count === 0) return merged;
  return { ...merged, summary: `${merged.summary}; in passing ${count} more` };
}

/** What the rule of judgement counts of a claim's samples. */
const COUNTS = ["samples", "faults", "explained", "open"];

/** How many samples all of them have, as the summary tells of all, and examples of each. */
function countsOver(findings: readonly Finding[]): Finding["evidence"] {
  const all = findings.map(({ evidence }) => evidence);
  const valuesOf = (name: string) => all.flatMap((each) => each[name] ?? []);
  const counts = COUNTS.flatMap((name) => {
    const numbers = valuesOf(name).filter((each) => typeof each === "number");
    return numbers.length < 2 ? [] : [[name, numbers.reduce((sum, each) => sum + each, 0)]];
  });
  const examples = [...new Set(valuesOf("examples"))].slice(0, QUOTES_MAX);
  return {
    ...Object.fromEntries(counts),
    ...(examples.length === 0 ? {} : { examples }),
  } as Finding["evidence"];
}

/** What is in doubt of any kind has to be looked at again. */
function allKinds(all: readonly Kinds[]): Kinds {
  const names = [...new Set(all.flatMap(Object.keys))];
  return Object.fromEntries(
    names.map((name) => [name, eachOnce(all.flatMap((k) => k[name] ?? []))]),
  );
}

/** All of these lists in one, each entry once; none where one of them is empty. */
export function ofEach<Entry>(lists: readonly (readonly Entry[])[]): Entry[] {
  if (lists.some(({ length }) => length === 0)) return [];
  return eachOnce(lists.flat());
}

export function eachOnce<Entry>(
  entries: readonly Entry[],
  by: (entry: Entry) => string = (entry) => JSON.stringify(entry),
): Entry[] {
  return [...new Map(entries.map((entry) => [by(entry), entry])).values()];
}

export function mergedByPromise(findings: readonly Finding[]): Finding[] {
  const promises = [...new Set(findings.map(({ promise }) => promise))];
  return promises.map((id) => mergeFindings(findings.filter(({ promise }) => promise === id)));
}

/** Of those who were asked, with the looks of those in passing; these try nothing by intent. */
function strengthOf(own: readonly Finding[], all: readonly Finding[]): Pick<Finding, "strength"> {
  const strengths = own.flatMap(({ strength }) => strength ?? []);
  if (strengths.length === 0) return {};
  const asked = mergedStrength(strengths);
  const beside = all.flatMap(({ inPassing, strength }) =>
    inPassing === true && strength !== undefined ? [{ ...strength, notTried: asked.notTried }] : [],
  );
  return { strength: mergedStrength([asked, ...beside]) };
}
