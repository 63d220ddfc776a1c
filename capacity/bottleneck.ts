/** Names what gives way: where the time of a job, or of a request, has gone. */

import type { CapacityStep, Failure } from "../contract/capacity.ts";
import type { TimeQuantiles } from "../contract/capacity-step.ts";

type SlowPart = "queue" | "workers" | "answers";

interface Growth {
  part: SlowPart;
  name: string;
  beforeMs: number;
  afterMs: number;
}

/** The part of the way whose median has grown most since the step that is compared with. */
export function slowdownOf(step: CapacityStep, base: CapacityStep | null, why: string): Failure {
  const growths = growthsOf(step, base);
  const [first, ...others] = growths.sort((a, b) => increase(b) - increase(a));
  if (first === undefined || increase(first) <= 0) {
    return { bottleneck: step.queueWaitMs === null ? plainPart(step) : "unknown", text: why };
  }
  const grew = `${first.name} grew from ${ms(first.beforeMs)} to ${ms(first.afterMs)}`;
  const rest = others.map(({ name, afterMs }) => `${name} ${ms(afterMs)}`).join(", ");
  const beside = rest === "" ? "" : `, beside ${rest}`;
  return { bottleneck: first.part, text: `${why}; ${grew}${beside} (medians)${atOnce(step)}` };
}

/** Of requests the answer is all there is; of jobs without times nothing tells. */
function plainPart({ submitMs }: CapacityStep): Failure["bottleneck"] {
  return submitMs === null ? "answers" : "unknown";
}

function growthsOf(step: CapacityStep, base: CapacityStep | null): Growth[] {
  const of = (
    part: SlowPart,
    name: string,
    after: TimeQuantiles | null,
    before: TimeQuantiles | null | undefined,
  ): Growth[] =>
    after === null ? [] : [{ part, name, beforeMs: before?.p50 ?? 0, afterMs: after.p50 }];
  if (step.submitMs === null) return of("answers", "answers", step.latencyMs, base?.latencyMs);
  return [
    ...of("queue", "queue wait", step.queueWaitMs, base?.queueWaitMs),
    ...of("workers", "runs", step.runMs, base?.runMs),
    ...of("answers", "submissions", step.submitMs, base?.submitMs),
  ];
}

function increase({ beforeMs, afterMs }: Growth): number {
  return afterMs - beforeMs;
}

/** By Little's law: what is completed a second, times how long each runs. */
function atOnce({ achievedPerSecond, runMs }: CapacityStep): string {
  if (achievedPerSecond === null || runMs === null) return "";
  return `; about ${Math.round((achievedPerSecond * runMs.p50) / 1_000)} ran at once`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

/** Ours: growth beyond that is no noise of a machine. */
const CLEAR_MS = 100;

/**
 * What gives way first: the failed step closest above the edge that tells clearly, or the one
 * furthest above it. Null without a failed step.
 */
export function firstToGive(steps: readonly CapacityStep[]): Failure | null {
  const failed = steps
    .filter(({ outcome }) => outcome === "fail")
    .sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0));
  const base = baseOf(steps);
  const clear = failed.find((step) => isClear(step, base)) ?? failed.at(-1);
  return clear?.failures[0] ?? null;
}

function isClear(step: CapacityStep, base: CapacityStep | null): boolean {
  const kind = step.failures[0]?.bottleneck;
  if (kind === "limiter" || kind === "errors") return true;
  const growths = growthsOf(step, base).map(increase);
  return Math.max(0, ...growths) > CLEAR_MS;
}

/** The lowest rate that was kept: what the service is like when it is not pressed. */
export function baseOf(steps: readonly CapacityStep[]): CapacityStep | null {
  const kept = steps.filter(({ outcome }) => outcome === "pass");
  return [...kept].sort((a, b) => (a.ratePerSecond ?? 0) - (b.ratePerSecond ?? 0))[0] ?? null;
}
