/**
 * How many requests an endpoint answers when nothing paces them: autocannon with more and more
 * connections while the objectives are kept, then again with the best number of them. Never with
 * autocannon's own `-R`: it sends in bursts, and miscorrects what it calls coordinated omission.
 * Latencies are those of clients that wait for one answer before they ask again; a rate at a
 * latency takes a paced search.
 */

import { nowMs } from "../clock/system-clock.ts";
import { countText } from "../contract/numbers/figures.ts";
import type { CapacityResult, CapacityStep, Failure } from "../report/capacity-model.ts";
import { slowdownOf } from "./bottleneck.ts";
import { meanWithInterval } from "./mean.ts";
import { brokenQuantiles, errorsMax } from "./objectives.ts";
import type { CapacityOptions } from "./options.ts";
import { resultOf } from "./result.ts";
import type { Search } from "./search-state.ts";
import { newSearch } from "./search-state.ts";
import type { Burst, OwnTime } from "./unpaced-burst.ts";
import { autocannonVersion, fireBurst } from "./unpaced-burst.ts";

/** Ours: a third of a paced step, as there is no warm-up; autocannon counts by whole seconds. */
const STEP_SHARE = 1 / 3;
const RUNS_AT_THE_BEST = 5;
/** Ours: more connections that bring less than that bring nothing. */
const GAIN_MIN = 1.05;
/** Ours: an event loop this busy is what was measured. */
const BUSY_SHARE_MAX = 0.85;
/** A process that stood still for longer moves the rate by more than `GAIN_MIN` tells apart. */
const STARVED_SHARE_MAX = 1 - 1 / GAIN_MIN;
/** Ours: of a hundred answers one may be a 429 that says nothing. */
const REFUSED_SHARE_MAX = 0.01;

/** `burst` sends for so many seconds over so many connections. */
export async function findUnpaced(
  options: CapacityOptions,
  connectionsMax: number,
  burst: typeof fireBurst = fireBurst,
): Promise<CapacityResult> {
  const search = newSearch({ rate: options.maxRate, bound: "max-rate" });
  const run = (connections: number) => runOnce(options, search, burst, connections);
  const climbed = await climb(options, run, connectionsMax);
  let { harm } = climbed;
  const { connections, cutShort } = climbed;
  const again: CapacityStep[] = [];
  while (connections > 0 && again.length < RUNS_AT_THE_BEST) {
    const step = await run(connections);
    if (step === null) break;
    const own = harmOf(options, step);
    harm = own ?? harm;
    if (own !== null) break;
    again.push(step);
  }
  return unpacedResult(options, search, { again, connections, harm, cutShort });
}

/** The number of connections that brought most while the objectives were kept; 0: none was. */
async function climb(
  options: CapacityOptions,
  run: (connections: number) => Promise<CapacityStep | null>,
  connectionsMax: number,
): Promise<Omit<Unpaced, "again">> {
  let best = { connections: 0, perSecond: 0 };
  let cutShort: string | null = null;
  for (let connections = 1; connections <= connectionsMax; connections *= 2) {
    const step = await run(connections);
    if (step === null) break;
    const harm = harmOf(options, step);
    if (harm !== null) return { connections: best.connections, harm, cutShort };
    const perSecond = step.achievedPerSecond ?? 0;
    const gains = perSecond > best.perSecond * GAIN_MIN;
    if (perSecond > best.perSecond || best.connections === 0) best = { connections, perSecond };
    if (gains && step.outcome === "pass") continue;
    if (step.refused429 === 0) cutShort = step.generator.doubt;
    break;
  }
  return { connections: best.connections, harm: null, cutShort };
}

/** Null when it must not start, or was interrupted. */
async function runOnce(
  options: CapacityOptions,
  search: Search,
  burst: typeof fireBurst,
  connections: number,
): Promise<CapacityStep | null> {
  const { signal, timeMs, onEvent } = options;
  const seconds = Math.max(1, Math.round((options.stepMs * STEP_SHARE) / 1_000));
  const isLate = nowMs() - search.startedAtMs + seconds * 1_000 > timeMs;
  if (isLate) search.end = "time";
  if (signal.aborted || isLate) return null;
  const what = countText(connections, "connection");
  onEvent({ type: "step-started", phase: "unpaced", what, seconds });
  const startedAtMs = Math.round(nowMs());
  const fired = await burst(options, connections, seconds);
  if (signal.aborted) return null;
  const step = stepOf(options, search.steps[0] ?? null, { ...fired, startedAtMs });
  search.steps.push(step);
  onEvent({ type: "step-ended", step });
  return step;
}

interface Fired extends Burst {
  startedAtMs: number;
}

function doubtOf({ busyShare, starvedShare }: OwnTime): string | null {
  if (starvedShare > STARVED_SHARE_MAX) {
    return `this generator waited for a core for ${percent(starvedShare)} of the time; at most 5 %`;
  }
  if (busyShare <= BUSY_SHARE_MAX) return null;
  return `this generator's event loop was busy for ${percent(busyShare)}; at most 85 %`;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function stepOf(options: CapacityOptions, base: CapacityStep | null, fired: Fired): CapacityStep {
  const { connections, seconds, answered, refused429, errors, latencyMs, startedAtMs, own } = fired;
  const sent = answered + refused429 + errors;
  const step: CapacityStep = {
    phase: "unpaced",
    startedAtMs,
    seconds,
    measuredSeconds: seconds,
    ratePerSecond: null,
    connections,
    sent,
    refused429,
    errors,
    errorShare: sent === 0 ? 0 : errors / sent,
    achievedPerSecond: answered / Math.max(1, seconds),
    latencyMs,
    submitMs: null,
    queueWaitMs: null,
    runMs: null,
    backlog: null,
    inFlight: connections,
    generator: { dropped: 0, latenessMs: 0, hostLagMs: own.lagMs, doubt: doubtOf(own) },
    outcome: "pass",
    failures: [],
    stopped: null,
    points: [],
  };
  const failures = failuresOf(options, step, base);
  return { ...step, failures, outcome: failures.length > 0 ? "fail" : "pass" };
}

function failuresOf(
  options: CapacityOptions,
  step: CapacityStep,
  base: CapacityStep | null,
): Failure[] {
  const failures = harmsOf(options, step);
  const { sent, refused429 } = step;
  if (refused429 > sent * REFUSED_SHARE_MAX) {
    const text = `${refused429} of ${sent} requests were answered 429`;
    failures.unshift({ bottleneck: "limiter", text });
  }
  if (failures.length === 0 && base !== null && isSlower(step, base)) {
    return [slowdownOf(step, base, `${step.connections} connections brought little more`)];
  }
  return failures;
}

/** Objectives that were not kept. 429s, and growing latency alone, are no harm. */
function harmsOf({ objectives }: CapacityOptions, step: CapacityStep): Failure[] {
  const { sent, errors, errorShare } = step;
  const text = `${errors} of ${sent} requests failed`;
  return [
    ...(errorShare > errorsMax(objectives) ? [{ bottleneck: "errors", text } as const] : []),
    ...brokenQuantiles(objectives, step).map(({ why }) => {
      return { bottleneck: "answers", text: why } as const;
    }),
  ];
}

/** Ours: where latency grows as the connections do, throughput does not. */
const SLOWER_SHARE = 0.6;

function isSlower({ latencyMs, connections }: CapacityStep, base: CapacityStep): boolean {
  const [after, before] = [latencyMs?.p50 ?? 0, Math.max(1, base.latencyMs?.p50 ?? 0)];
  return after / before > SLOWER_SHARE * ((connections ?? 1) / (base.connections ?? 1));
}

/** What stopped a search before its connections brought little more; null: nothing did. */
type Harm = { failure: Failure; connections: number; doubt: string | null } | null;

function harmOf(options: CapacityOptions, step: CapacityStep): Harm {
  const failure = harmsOf(options, step)[0];
  if (failure === undefined) return null;
  // A busy or starved generator makes answers late; it does not make them fail.
  const doubt = failure.bottleneck === "answers" ? step.generator.doubt : null;
  return { failure, connections: step.connections ?? 0, doubt };
}

interface Unpaced {
  /** The runs at the best number of connections. */
  again: readonly CapacityStep[];
  connections: number;
  harm: Harm;
  /** Why more connections brought nothing, as far as this process is to blame; null: it is not. */
  cutShort: string | null;
}

function unpacedResult(
  options: CapacityOptions,
  search: Search,
  { again, connections, harm, cutShort }: Unpaced,
): CapacityResult {
  const plain = resultOf(options, search);
  const tool = { ...plain.tool, k6: null, autocannon: autocannonVersion() };
  const common = { ...plain, tool, mode: "unpaced" as const };
  const rates = again.flatMap(({ achievedPerSecond }) => achievedPerSecond ?? []);
  const estimate = meanWithInterval(rates);
  const exitCode = (code: 0 | 99 | 111) => (options.signal.aborted ? 105 : code);
  const doubt = generatorDoubt(again, harm?.doubt ?? cutShort);
  const gave = doubt ?? harm?.failure ?? firstFailure(again);
  if (harm !== null && doubt === null && connections === 0) {
    const summary = `not even one connection kept the objectives: ${harm.failure.text}`;
    return { ...common, bottleneck: gave, outcome: "below", exitCode: exitCode(99), summary };
  }
  const atBest = harm !== null && harm.connections <= Math.max(1, connections) ? harm : null;
  if (estimate === null || atBest !== null) {
    const why = atBest === null ? "there were too few runs" : harmText(atBest);
    const summary = `no verdict: ${why}`;
    const none = { bottleneck: gave, outcome: "none", exitCode: exitCode(111) } as const;
    return { ...common, ...none, summary };
  }
  const figure = Math.round(estimate.perSecond);
  const interval = `${Math.round(estimate.low)} to ${Math.round(estimate.high)}`;
  const then = harm === null ? "" : `; ${harmText(harm)}`;
  return {
    ...common,
    estimate,
    bottleneck: gave,
    bound: doubt !== null ? "generator" : plain.bound,
    outcome: doubt !== null ? "at-least" : "found",
    exitCode: exitCode(doubt !== null ? 111 : 0),
    summary:
      doubt !== null
        ? `at least ${figure} requests a second; then the generator was busy or starved itself`
        : `${figure} requests a second unpaced (${interval} with 95 % confidence)${then}`,
  };
}

function harmText({ failure, connections, doubt }: NonNullable<Harm>): string {
  const what = countText(connections, "connection");
  const but = doubt === null ? "" : `; ${doubt}`;
  return `${what} did not keep the objectives: ${failure.text}${but}`;
}

/** A limiter's refusals cost the generator work, and are the service's answer all the same. */
function generatorDoubt(again: readonly CapacityStep[], ended: string | null): Failure | null {
  const isRefused = again.some(({ refused429 }) => refused429 > 0);
  const busy = isRefused ? undefined : again.find(({ generator }) => generator.doubt !== null);
  const text = ended ?? busy?.generator.doubt ?? null;
  return text === null ? null : { bottleneck: "generator", text };
}

function firstFailure(steps: readonly CapacityStep[]): Failure | null {
  return steps.find(({ failures }) => failures.length > 0)?.failures[0] ?? null;
}
