/** Names what gives way: where the time of a job, or of a request, has gone. */

import type { TimeQuantiles } from "../contract/run/capacity-step.ts";
import type { CapacityStep, Failure } from "../report/capacity-model.ts";
import type { ObjectiveFigure } from "./options.ts";

type SlowPart = "queue" | "workers" | "answers";

interface Growth {
  part: SlowPart;
  name: string;
  beforeMs: number;
  afterMs: number;
}

const PART_OF: Readonly<Record<ObjectiveFigure, SlowPart | null>> = {
  latency: null,
  submit: "answers",
  queue: "queue",
  run: "workers",
};

/**
 * The part of the way whose median has grown most since the step that is compared with. Without
 * that one, nothing tells what has grown: only an objective of a part alone names that part.
 */
export function slowdownOf(
  step: CapacityStep,
  base: CapacityStep | null,
  why: string,
  figure: ObjectiveFigure | null = null,
): Failure {
  if (base === null) return unexplained(step, why, figure);
  const growths = growthsOf(step, base);
  const [first, ...others] = growths.sort((a, b) => increase(b) - increase(a));
  if (first === undefined || increase(first) <= 0) {
    return { bottleneck: step.queueWaitMs === null ? plainPart(step) : "unknown", text: why };
  }
  const [before, after] = [ms(first.beforeMs), ms(first.afterMs)];
  const grew = `${first.name} ${before === after ? after : `grew from ${before} to ${after}`}`;
  const rest = others.map(({ name, afterMs }) => `${name} ${ms(afterMs)}`).join(", ");
  const beside = rest === "" ? "" : `, beside ${rest}`;
  return { bottleneck: first.part, text: `${why}; ${grew}${beside} (medians)${atOnce(step)}` };
}

function unexplained(step: CapacityStep, why: string, figure: ObjectiveFigure | null): Failure {
  const seen = partsOf(step).map(({ name, times }) => `${name} ${ms(times.p50)}`);
  const medians = seen.length === 0 ? "" : `; ${seen.join(", ")} (medians)`;
  const part = figure === null ? null : PART_OF[figure];
  return { bottleneck: part ?? plainPart(step), text: `${why}${medians}${atOnce(step)}` };
}

/** Of requests the answer is all there is; of jobs without times nothing tells. */
function plainPart({ submitMs }: CapacityStep): Failure["bottleneck"] {
  return submitMs === null ? "answers" : "unknown";
}

interface TimedPart {
  part: SlowPart;
  name: string;
  times: TimeQuantiles;
}

/** Those that the service tells of. */
function partsOf({ submitMs, latencyMs, queueWaitMs, runMs }: CapacityStep): TimedPart[] {
  const of = (part: SlowPart, name: string, times: TimeQuantiles | null): TimedPart[] =>
    times === null ? [] : [{ part, name, times }];
  if (submitMs === null) return of("answers", "answers", latencyMs);
  return [
    ...of("queue", "queue wait", queueWaitMs),
    ...of("workers", "runs", runMs),
    ...of("answers", "submissions", submitMs),
  ];
}

function growthsOf(step: CapacityStep, base: CapacityStep): Growth[] {
  const before = new Map(partsOf(base).map(({ part, times }) => [part, times.p50]));
  return partsOf(step).flatMap(({ part, name, times }) => {
    const beforeMs = before.get(part);
    return beforeMs === undefined ? [] : [{ part, name, beforeMs, afterMs: times.p50 }];
  });
}

function increase({ beforeMs, afterMs }: Growth): number {
  return afterMs - beforeMs;
}

/** By Little's law: what is completed a second, times how long each runs */
function atOnce({ achievedPerSecond, runMs }: CapacityStep): string {
  const jobs = Math.round(((achievedPerSecond ?? 0) * (runMs?.p50 ?? 0)) / 1_000);
  return jobs === 0 ? "" : `; about ${jobs} ran at once`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** Ours: growth beyond that is no noise of a machine. */
const CLEAR_MS = 100;
/** As many runs are made at an end of the bracket: noise is not in the same part each time. */
const AGREED = 3;

/**
 * What gives way first: the failed step closest above the edge that tells clearly, or the one
 * furthest above it. At one rate the last one goes first, as the service was warm by then. Null
 * without a failed step above `low`, the highest rate that was kept.
 */
export function firstToGive(steps: readonly CapacityStep[], low: number | null): Failure | null {
  const failed = steps
    .filter(({ outcome, ratePerSecond }) => outcome === "fail" && (ratePerSecond ?? 0) > (low ?? 0))
    .reverse()
    .sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0));
  const base = baseOf(steps);
  const isNamed = (step: CapacityStep) => isClear(step, base) || isAgreed(step, failed);
  const clear = failed.find(isNamed) ?? failed.at(-1);
  return clear?.failures[0] ?? null;
}

function isClear(step: CapacityStep, base: CapacityStep | null): boolean {
  const kind = step.failures[0]?.bottleneck;
  if (kind === "limiter" || kind === "errors") return true;
  const growths = base === null ? [] : growthsOf(step, base).map(increase);
  return Math.max(0, ...growths) > CLEAR_MS;
}

/** All that failed at the rate of this one name the same. */
function isAgreed({ ratePerSecond }: CapacityStep, failed: readonly CapacityStep[]): boolean {
  const alike = failed.filter((each) => each.ratePerSecond === ratePerSecond);
  const names = new Set(alike.map(({ failures }) => failures[0]?.bottleneck));
  return alike.length >= AGREED && names.size === 1 && !names.has("unknown");
}

/** The lowest rate that was kept: what the service is like when it is not overloaded. */
export function baseOf(steps: readonly CapacityStep[]): CapacityStep | null {
  const kept = steps.filter(({ outcome }) => outcome === "pass");
  return [...kept].sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0))[0] ?? null;
}
