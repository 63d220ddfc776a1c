/**
 * How many requests an endpoint answers when nothing paces them: autocannon with more and more
 * connections, then again with the best number of them. Never with autocannon's own `-R`: it sends
 * in bursts, and miscorrects what it calls coordinated omission. Latencies are those of clients
 * that wait for one answer before they ask again; a rate at a latency takes a paced search.
 */

import { createRequire } from "node:module";
import { performance } from "node:perf_hooks";
import type { Result } from "autocannon";
import autocannon from "autocannon";
import type { CapacityResult, CapacityStep, Failure } from "../contract/capacity.ts";
import type { TimeQuantiles } from "../contract/capacity-step.ts";
import { API_KEY_HEADER, ROUTES } from "../contract/routes.ts";
import { slowdownOf } from "./bottleneck.ts";
import { errorsMax } from "./judge-step.ts";
import { meanWithInterval } from "./mean.ts";
import type { CapacityOptions } from "./options.ts";
import { resultOf } from "./result.ts";
import type { Search } from "./search-state.ts";
import { newSearch } from "./search-state.ts";

/** Ours: a third of a paced step, as there is no warm-up; autocannon counts by whole seconds. */
const STEP_SHARE = 1 / 3;
const RUNS_AT_THE_BEST = 5;
/** Ours: more connections that bring less than that bring nothing. */
const GAIN_MIN = 1.05;
/** Ours: an event loop this busy is what was measured. */
const BUSY_SHARE_MAX = 0.85;
/** Ours: of a hundred answers one may be a 429 that says nothing. */
const REFUSED_SHARE_MAX = 0.01;
const REQUEST_TIMEOUT_SECONDS = 15;

export async function findUnpaced(
  options: CapacityOptions,
  connectionsMax: number,
): Promise<CapacityResult> {
  const search = newSearch({ rate: options.maxRate, bound: "max-rate" });
  let best = { connections: 1, perSecond: 0 };
  for (let connections = 1; connections <= connectionsMax; connections *= 2) {
    const step = await runOnce(options, search, connections);
    if (step === null) break;
    const perSecond = step.achievedPerSecond ?? 0;
    const gains = perSecond > best.perSecond * GAIN_MIN;
    if (perSecond > best.perSecond) best = { connections, perSecond };
    if (!gains || step.outcome !== "pass") break;
  }
  const again: CapacityStep[] = [];
  while (again.length < RUNS_AT_THE_BEST) {
    const step = await runOnce(options, search, best.connections);
    if (step === null) break;
    again.push(step);
  }
  return unpacedResult(options, search, again);
}

/** Null when it must not start, or was interrupted. */
async function runOnce(
  options: CapacityOptions,
  search: Search,
  connections: number,
): Promise<CapacityStep | null> {
  const { signal, timeMs, onEvent } = options;
  const seconds = secondsOf(options);
  const isLate = Date.now() - search.startedAtMs + seconds * 1_000 > timeMs;
  if (isLate) search.end = "time";
  if (signal.aborted || isLate) return null;
  const what = `${connections} ${connections === 1 ? "connection" : "connections"}`;
  onEvent({ type: "step-started", phase: "unpaced", what, seconds });
  const startedAtMs = Date.now();
  const before = performance.eventLoopUtilization();
  const result = await fire(options, connections);
  const { utilization } = performance.eventLoopUtilization(before);
  if (signal.aborted) return null;
  const step = stepOf(options, search.steps[0] ?? null, { startedAtMs, result, utilization });
  search.steps.push(step);
  onEvent({ type: "step-ended", step });
  return step;
}

function secondsOf({ stepMs }: CapacityOptions): number {
  return Math.max(1, Math.round((stepMs * STEP_SHARE) / 1_000));
}

function fire(options: CapacityOptions, connections: number): Promise<Result> {
  const { target, endpoint, keys, secrets, signal } = options;
  const [key] = keys;
  const requests = keys.map(({ env }) => ({
    headers: { [API_KEY_HEADER]: secrets.get(env) ?? "", accept: "application/json" },
  }));
  return new Promise((resolve, reject) => {
    const instance = autocannon(
      {
        url: target.baseUrl + ROUTES[endpoint],
        connections,
        duration: secondsOf(options),
        timeout: REQUEST_TIMEOUT_SECONDS,
        ...(key === undefined ? {} : { requests }),
      },
      (error, result) => {
        signal.removeEventListener("abort", stop);
        if (error) reject(error instanceof Error ? error : new Error(String(error)));
        else resolve(result);
      },
    );
    const stop = () => {
      (instance as unknown as { stop?: () => void }).stop?.();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}

interface Fired {
  startedAtMs: number;
  result: Result;
  utilization: number;
}

function stepOf(options: CapacityOptions, base: CapacityStep | null, fired: Fired): CapacityStep {
  const { result, startedAtMs, utilization } = fired;
  const refused429 = result.statusCodeStats?.["429"]?.count ?? 0;
  const answered = result["2xx"];
  const errors = Math.max(0, result.non2xx - refused429) + result.errors;
  const sent = answered + refused429 + errors;
  const busy = `this generator's event loop was busy for ${Math.round(utilization * 100)} %`;
  const doubt = utilization > BUSY_SHARE_MAX ? `${busy}; at most 85 %` : null;
  const step: CapacityStep = {
    phase: "unpaced",
    startedAtMs,
    seconds: result.duration,
    measuredSeconds: result.duration,
    ratePerSecond: null,
    connections: result.connections,
    sent,
    refused429,
    errors,
    errorShare: sent === 0 ? 0 : errors / sent,
    achievedPerSecond: answered / Math.max(1, result.duration),
    latencyMs: timesOf(result),
    submitMs: null,
    queueWaitMs: null,
    runMs: null,
    backlog: null,
    inFlight: result.connections,
    generator: { dropped: 0, latenessMs: 0, hostLagMs: 0, doubt },
    outcome: "pass",
    failures: [],
    stopped: null,
    points: [],
  };
  const failures = failuresOf(options, step, base);
  return { ...step, failures, outcome: failures.length > 0 ? "fail" : "pass" };
}

function failuresOf(
  { objectives }: CapacityOptions,
  step: CapacityStep,
  base: CapacityStep | null,
): Failure[] {
  const failures: Failure[] = [];
  const { sent, refused429, errors, errorShare } = step;
  if (refused429 > sent * REFUSED_SHARE_MAX) {
    const text = `${refused429} of ${sent} requests were answered 429`;
    failures.push({ bottleneck: "limiter", text });
  }
  if (errorShare > errorsMax(objectives)) {
    failures.push({ bottleneck: "errors", text: `${errors} of ${sent} requests failed` });
  }
  if (failures.length === 0 && base !== null && isSlower(step, base)) {
    return [slowdownOf(step, base, `${step.connections} connections brought little more`)];
  }
  return failures;
}

/** Ours: where latency grows as the connections do, throughput does not. */
const SLOWER_SHARE = 0.6;

function isSlower({ latencyMs, connections }: CapacityStep, base: CapacityStep): boolean {
  const [after, before] = [latencyMs?.p50 ?? 0, Math.max(1, base.latencyMs?.p50 ?? 0)];
  return after / before > SLOWER_SHARE * ((connections ?? 1) / (base.connections ?? 1));
}

function timesOf({ latency, requests }: Result): TimeQuantiles | null {
  if (requests.total === 0) return null;
  const { p50, p90, p97_5: p95, p99, max } = latency;
  return { count: requests.total, p50, p90, p95, p99, max };
}

function unpacedResult(
  options: CapacityOptions,
  search: Search,
  again: readonly CapacityStep[],
): CapacityResult {
  const plain = resultOf(options, search);
  const tool = { ...plain.tool, k6: null, autocannon: autocannonVersion() };
  const rates = again.flatMap(({ achievedPerSecond }) => achievedPerSecond ?? []);
  const estimate = meanWithInterval(rates);
  const interrupted = options.signal.aborted;
  if (estimate === null) {
    const summary = "no verdict: there were too few runs";
    return { ...plain, tool, mode: "unpaced", outcome: "none", summary };
  }
  const doubt = again.find(({ generator }) => generator.doubt !== null)?.generator.doubt ?? null;
  const gave: Failure | null =
    doubt !== null && !again.some(({ refused429 }) => refused429 > 0)
      ? { bottleneck: "generator", text: doubt }
      : (again.find(({ failures }) => failures.length > 0)?.failures[0] ?? null);
  const isGenerator = gave?.bottleneck === "generator";
  const figure = Math.round(estimate.perSecond);
  const interval = `${Math.round(estimate.low)} to ${Math.round(estimate.high)}`;
  return {
    ...plain,
    mode: "unpaced",
    tool,
    estimate,
    bottleneck: gave,
    bound: isGenerator ? "generator" : plain.bound,
    outcome: isGenerator ? "at-least" : "found",
    exitCode: interrupted ? 105 : isGenerator ? 111 : 0,
    summary: isGenerator
      ? `at least ${figure} requests a second; then the generator was busy itself`
      : `${figure} requests a second unpaced (${interval} with 95 % confidence)`,
  };
}

function autocannonVersion(): string {
  const require = createRequire(import.meta.url);
  return (require("autocannon/package.json") as { version: string }).version;
}
