/** A capacity as text for a terminal: the answer first, the steps as a table, then the rest. */

import type { TimeQuantiles } from "../contract/run/capacity-step.ts";
import { tookMs } from "./by-verdict.ts";
import type { CapacityResult, CapacityStep } from "./capacity-model.ts";
import { spentLine } from "./spent-line.ts";
import { cut, duration, figure, oneLine, wrap } from "./text.ts";

/** Ours: fits 80 columns. */
const COLUMNS = [
  ["step", 9],
  ["offered/s", 10],
  ["done/s", 8],
  ["p50", 9],
  ["p95", 9],
  ["429", 6],
  ["errors", 7],
  ["", 10],
] as const;

export function renderCapacity(result: CapacityResult, { width }: { width: number }): string {
  const wide = Math.max(40, width);
  const lines = [
    ...wrap(result.summary, wide),
    ...explained(result, wide),
    "",
    ...tableOf(result),
    "",
    ...scalabilityLines(result, wide),
    ...result.notes.flatMap((note) => wrap(`note: ${note}`, wide)),
    spendingLine(result),
  ];
  return `${lines.join("\n")}\n`;
}

function explained({ bottleneck, objectives, of }: CapacityResult, width: number): string[] {
  const backlog = of === "jobs" ? [...objectives, "a backlog that does not grow"] : objectives;
  return [
    ...(bottleneck === null ? [] : wrap(`${bottleneck.bottleneck}: ${bottleneck.text}`, width)),
    ...wrap(`kept: ${backlog.join(", ")}`, width),
  ];
}

function tableOf({ steps }: CapacityResult): string[] {
  const head = row(COLUMNS.map(([name]) => name));
  return [head, ...steps.map((step) => row(cellsOf(step)))];
}

function cellsOf(step: CapacityStep): string[] {
  const offered = step.ratePerSecond ?? `${step.connections ?? 0} conn`;
  return [
    step.phase,
    typeof offered === "number" ? figure(offered) : offered,
    step.achievedPerSecond === null ? "-" : figure(step.achievedPerSecond),
    time(step.latencyMs, "p50"),
    time(step.latencyMs, "p95"),
    String(step.refused429),
    String(step.errors),
    step.outcome,
  ];
}

function time(times: TimeQuantiles | null, q: "p50" | "p95"): string {
  return times === null ? "-" : duration(Math.round(times[q]));
}

function row(cells: readonly string[]): string {
  const padded = COLUMNS.map(([, width], index) => {
    const cell = cut(oneLine(cells[index] ?? ""), width - 1);
    return index === 0 || index === COLUMNS.length - 1
      ? ` ${cell}`.padEnd(width)
      : cell.padStart(width);
  });
  return padded.join("").trimEnd();
}

function scalabilityLines(result: CapacityResult, width: number): string[] {
  const { scalability: fit } = result;
  if (fit === null) return wrap(`scalability: ${result.scalabilityMissing ?? "not fitted"}`, width);
  const peak =
    fit.peak === null
      ? "no fall in sight"
      : `highest at ${figure(fit.peak.inFlight)} in flight, ${figure(fit.peak.perSecond)} a second`;
  const terms = `contention ${share(fit.sigma)}, crosstalk ${share(fit.kappa)}`;
  return wrap(`scalability: ${terms}; ${peak}`, width);
}

function share(value: number): string {
  return `${Number((value * 100).toPrecision(2))} %`;
}

function spendingLine(result: CapacityResult): string {
  const spent = spentLine({ budget: { spent: result.spent, ceiling: null } });
  return `${spent} in ${duration(tookMs(result))}`;
}
