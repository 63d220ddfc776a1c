/** Which objectives of `--slo` a step kept, broke, or could not be held against. */

import type { TimeQuantiles } from "../contract/run/capacity-step.ts";
import type { CapacityStep } from "../report/capacity-model.ts";
import type { CapacityObjective, ObjectiveFigure } from "./options.ts";

/** Objectives of times that were measured and not kept, in a sentence each. */
export function brokenQuantiles(
  objectives: readonly CapacityObjective[],
  step: CapacityStep,
): { why: string; figure: ObjectiveFigure }[] {
  return quantileObjectives(objectives).flatMap(({ figure, q, belowMs, text }) => {
    const got = quantileAt(figuresOf(step, figure), q);
    if (got === null || got < belowMs) return [];
    return [{ why: `${text} was not kept: ${Math.round(got)} ms`, figure }];
  });
}

/** Ours: where `--slo` says nothing of errors. */
const ERRORS_DEFAULT = 0.01;

export function errorsMax(objectives: readonly CapacityObjective[]): number {
  const shares = objectives.flatMap((each) => (each.kind === "errors" ? [each.belowShare] : []));
  return Math.min(...(shares.length === 0 ? [ERRORS_DEFAULT] : shares));
}

function figuresOf(step: CapacityStep, figure: ObjectiveFigure): TimeQuantiles | null {
  const figures = {
    latency: step.latencyMs,
    submit: step.submitMs,
    queue: step.queueWaitMs,
    run: step.runMs,
  };
  return figures[figure];
}

const FIGURE_WORDS: Readonly<Record<ObjectiveFigure, string>> = {
  latency: "latency",
  submit: "time of submissions",
  queue: "queue wait",
  run: "time of runs",
};

/** The objective whose figure the step has none of, in a sentence; null: all could be held. */
export function untoldObjective(
  objectives: readonly CapacityObjective[],
  step: CapacityStep,
): string | null {
  const untold = quantileObjectives(objectives).find(({ figure, q }) => {
    return quantileAt(figuresOf(step, figure), q) === null;
  });
  if (untold === undefined) return null;
  const who = isNeverTold(untold, step) ? "the service tells no" : "this step has no";
  return `${untold.text} can't be judged: ${who} ${FIGURE_WORDS[untold.figure]}`;
}

/** True of a step that ended jobs and has no such figure of them: another one will have none. */
export function neverTells(objectives: readonly CapacityObjective[], step: CapacityStep): boolean {
  return quantileObjectives(objectives).some((each) => isNeverTold(each, step));
}

type QuantileObjective = Extract<CapacityObjective, { kind: "quantile" }>;

export function quantileObjectives(objectives: readonly CapacityObjective[]): QuantileObjective[] {
  return objectives.filter((each) => each.kind === "quantile");
}

function isNeverTold({ figure, q }: QuantileObjective, step: CapacityStep): boolean {
  return step.latencyMs !== null && quantileAt(figuresOf(step, figure), q) === null;
}

function quantileAt(times: TimeQuantiles | null, q: number): number | null {
  if (times === null) return null;
  const known = { 0.5: times.p50, 0.9: times.p90, 0.95: times.p95, 0.99: times.p99 };
  return known[q as keyof typeof known] ?? null;
}
