/** The world of a scenario under k6: its clock, its event loop, its requests, its console. */

import { randomBytes } from "k6/crypto";
import exec from "k6/execution";
import type { RefinedResponse } from "k6/http";
import http from "k6/http";
import { Counter, Gauge } from "k6/metrics";
import type { TransportError } from "../../contract/requests/exchange.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { formatRecord } from "../../contract/run/evidence.ts";
import type { Shard } from "../../contract/run/shards.ts";
import { WHOLE_LOAD } from "../../contract/run/shards.ts";
import type { Finding, Verdict } from "../../contract/verdict.ts";
import type { BriefAnswer, WireRequest, WireResponse, World } from "./world.ts";
import { isBrief } from "./world.ts";

/** -1 while a promise is registered and not judged yet; a threshold refuses that and 2 and 3. */
export const VERDICT_CODES: Readonly<Record<Verdict, number>> = {
  kept: 0,
  unobserved: 1,
  inconclusive: 2,
  broken: 3,
};
const REGISTERED = -1;

const verdictGauge = new Gauge("plumbline_verdict");
const keptCounter = new Counter("plumbline_kept");

export const k6World: World = {
  now,
  delay: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, Math.max(0, ms));
    }),
  request,
  prepare,
  randomBytes: (count) => new Uint8Array(randomBytes(count)),
  env: (name) => __ENV[name],
  emit,
  shard: WHOLE_LOAD,
  beganAtMs: () => exec.scenario.startTime,
};

/** The world of this virtual user, which is one of so many; k6 counts them over all segments. */
export function shardWorld(count: number): World {
  if (count === 1) return k6World;
  const shard = { index: exec.vu.idInTest - 1, count };
  return { ...k6World, shard, emit: (record) => emitOf(shard, record) };
}

let instance: typeof exec.instance | null = null;
let testStartMs: number | null = null;

/**
 * Milliseconds since the epoch, whole, from k6's monotonic clock: a wall clock that is set during a
 * run shifts no measurement. Not in the init context.
 */
function now(): number {
  // Kept: the module builds it anew each time, which takes ten times as long as the reading.
  instance ??= exec.instance;
  const runMs = instance.currentTestRunDuration;
  testStartMs ??= Date.now() - runMs;
  return Math.floor(testStartMs + runMs);
}

async function request(wire: WireRequest): Promise<WireResponse> {
  const { method, url, body } = wire;
  const response = await http.asyncRequest(method, url, body, paramsOf(wire));
  return answerOf(response);
}

function prepare(wire: WireRequest, onAnswer: (answer: BriefAnswer) => void): () => void {
  const { method, url, body } = wire;
  const params = paramsOf(wire);
  const read = (response: RefinedResponse<"text">) => {
    // Each property of what k6 gives is looked up anew by reflection.
    const status = response.status;
    if (isBrief(status) && response.error_code === 0) {
      const transportMs = transportMsOf(response.timings);
      onAnswer({ status, headers: NO_HEADERS, body: "", error: null, transportMs });
    } else onAnswer(answerOf(response));
  };
  return () => {
    params.jar = new http.CookieJar();
    void http.asyncRequest(method, url, body, params).then(read);
  };
}

const NO_HEADERS = {};

/**
 * A jar for each request keeps no cookie for the next: k6's own jar would bind all of a run to one
 * machine behind a load balancer, and let a session of one key answer for another.
 */
function paramsOf({ headers, timeoutMs, name }: WireRequest) {
  return {
    headers,
    redirects: 0,
    jar: new http.CookieJar(),
    responseType: "text" as const,
    timeout: timeoutMs,
    tags: { name },
  };
}

function answerOf(response: RefinedResponse<"text">): WireResponse {
  const error = transportError(response);
  const { timings } = response;
  return {
    status: error === null ? response.status : 0,
    headers: lowerCased(response.headers),
    body: error === null && typeof response.body === "string" ? response.body : "",
    error,
    transportMs: transportMsOf(timings),
    bodyMs: timings.receiving,
    isReused: timings.connecting === 0,
  };
}

function transportMsOf(timings: RefinedResponse<"text">["timings"]): number {
  return timings.blocked + timings.connecting + timings.tls_handshaking + timings.duration;
}

/** What Linux and macOS call the lack of descriptors, ports and buffers. errno(3). */
const LOCAL = /too many open files|requested address|no buffer space|cannot allocate memory/;

/** What Go calls a connection that the other side closed before its answer, or within it. */
const CLOSED = /\bEOF$|server closed idle connection/;

/**
 * k6 error codes: 1050 time-out, 11xx DNS, 1212 refused, 1213 another error of connect(2), 1220
 * reset, 13xx TLS; 14xx and 15xx only repeat an HTTP status. A certificate that has expired has no
 * code of its own. Source: k6 documentation, "Error codes".
 */
function transportError(response: RefinedResponse<"text">): TransportError | null {
  const code = response.error_code;
  if (code === 0 || (code >= 1400 && code < 1600)) return null;
  if (code === 1050 || code === 1211) return "timeout";
  if (code >= 1100 && code < 1200) return "dns";
  if (code === 1212) return "refused";
  if (code === 1213 && LOCAL.test(response.error)) return "local";
  if (code === 1220 || code === 1201 || CLOSED.test(response.error)) return "reset";
  if ((code >= 1300 && code < 1400) || response.error.startsWith("x509: ")) return "tls";
  return "other";
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const name of Object.keys(headers)) result[name.toLowerCase()] = headers[name] ?? "";
  return result;
}

/** A line on the console; thresholds and exit code follow from the same record. */
export function emit(record: EvidenceRecord): void {
  emitOf(WHOLE_LOAD, record);
}

function emitOf({ index }: Shard, record: EvidenceRecord): void {
  const shard = String(index);
  if (record.type === "registered") {
    keptCounter.add(0);
    for (const promise of record.promises) verdictGauge.add(REGISTERED, { promise, shard });
  }
  if (record.type === "finding") {
    const { promise, verdict, inPassing = false } = record.finding;
    const isOwn = !inPassing || verdict === "broken";
    if (isOwn) verdictGauge.add(VERDICT_CODES[verdict], { promise, shard });
    if (isOwn && verdict === "kept") keptCounter.add(1);
  }
  console.log(formatRecord(record));
  if (record.type === "finding") tellWhy(record.finding);
}

/** The summary knows figures alone, which have no room for a reason. */
function tellWhy({ promise, verdict, summary, reason, inPassing }: Finding): void {
  if (verdict === "broken") console.error(`broken ${promise}: ${summary}`);
  if (verdict !== "inconclusive" || inPassing === true) return;
  console.warn(`inconclusive ${promise}: ${reason ?? summary}`);
}
