/** The intervals of a comparison: each metric's ratio, against the margin that does not matter. */

import * as Plot from "@observablehq/plot";
import type { ComparedMetric, ComparisonIntervals } from "../../comparison-intervals.ts";
import { figure } from "../../text.ts";
import type { Figure, Section } from "../figure.ts";
import type { Drawing, Frame } from "../plot.ts";
import { drawn } from "../plot.ts";

const ROW_HEIGHT = 30;
const AXIS_HEIGHT = 64;
/** Ours: the axis reaches at least that far to either side. */
const RATIO_MIN = 1.1;
const HEADROOM = 1.03;
/** Ours: percentages that a logarithmic axis names; every other one on a phone. */
const PERCENT_TICKS = [-75, -50, -40, -30, -20, -10, 0, 10, 20, 30, 50, 75, 100, 200];

const LOOKS: Readonly<Record<ComparedMetric["verdict"], { sign: string; color: string }>> = {
  better: { sign: "✓", color: "var(--kept)" },
  worse: { sign: "✗", color: "var(--bad)" },
  same: { sign: "=", color: "var(--first)" },
  unknown: { sign: "?", color: "var(--inconclusive)" },
};

/** A metric whose interval is known, as ratios of candidate to base. */
interface Row extends ComparedMetric {
  ratio: { value: number; low: number; high: number };
}

function rowOf(metric: ComparedMetric): Row[] {
  const { change, low, high } = metric;
  if (change === null || low === null || high === null) return [];
  return [{ ...metric, ratio: { value: 1 + change, low: 1 + low, high: 1 + high } }];
}

function wordOf(verdict: ComparedMetric["verdict"]): string {
  return verdict === "unknown" ? "can't tell" : verdict;
}

export function comparisonSection(comparisons: readonly ComparisonIntervals[]): Section {
  return {
    id: "comparison",
    title: "Comparison",
    about:
      "Candidate compared with base, with the interval of the difference. Within the green area " +
      "the difference does not matter; an interval that extends beyond it is inconclusive.",
    figures: comparisons.map((each, at) => intervals(each, `comparison-${at + 1}`)),
  };
}

function intervals(comparison: ComparisonIntervals, id: string): Figure {
  const { base, candidate, verdict, verdictReason, metrics } = comparison;
  const rows = metrics.flatMap(rowOf);
  const summary = `${wordOf(verdict)}: ${verdictReason}`;
  const label = `Intervals of ratios. ${summary}`;
  return {
    id,
    title: `${candidate.label} against ${base.label}`,
    caption: summary,
    size: "whole",
    plots: rows.length === 0 ? [] : [drawn("whole", label, (frame) => forest(rows, frame))],
    table: {
      head: ["metric", "base", "candidate", "difference", "interval", "margin", "verdict"],
      rows: metrics.map((each) => {
        const [row] = rowOf(each);
        const word = wordOf(each.verdict);
        return [
          each.name,
          withUnit(each.base, each.unit),
          withUnit(each.candidate, each.unit),
          row === undefined ? null : percent(row.ratio.value),
          row === undefined ? null : `${percent(row.ratio.low)} to ${percent(row.ratio.high)}`,
          `±${Math.round(each.margin * 1_000) / 10} %`,
          each.reason === null ? word : `${word}: ${each.reason}`,
        ];
      }),
    },
  };
}

function forest(rows: readonly Row[], frame: Frame): Drawing {
  const reach = Math.max(
    RATIO_MIN,
    ...rows.flatMap(({ ratio, margin }) => [ratio.high, 1 / ratio.low, 1 + margin]),
  );
  const domain = [1 / (reach * HEADROOM), reach * HEADROOM] as const;
  const ticks = PERCENT_TICKS.map((each) => 1 + each / 100).filter(
    (ratio, at) => ratio >= domain[0] && ratio <= domain[1] && (!frame.isNarrow || at % 2 === 0),
  );
  const at = { y: "name" } as const;
  return {
    height: rows.length * ROW_HEIGHT + AXIS_HEIGHT,
    marginLeft: frame.isNarrow ? 92 : 150,
    marginRight: frame.isNarrow ? 88 : 245,
    x: { type: "log", domain: [...domain], axis: null },
    y: { domain: rows.map(({ name }) => name), label: null, tickSize: 0 },
    marks: [
      Plot.axisX(ticks, { text: percent, label: "worse by" }),
      Plot.barX(rows, {
        ...at,
        x1: ({ margin }: Row) => 1 - margin,
        x2: ({ margin }: Row) => 1 + margin,
        fill: "var(--plan-ground)",
      }),
      Plot.ruleX([1], { stroke: "var(--ink)" }),
      Plot.ruleY(rows, {
        ...at,
        x1: ({ ratio }: Row) => ratio.low,
        x2: ({ ratio }: Row) => ratio.high,
        stroke: ({ verdict }: Row) => LOOKS[verdict].color,
        strokeWidth: 3,
      }),
      ...(["low", "high"] as const).map((end) =>
        Plot.tickX(rows, {
          ...at,
          x: ({ ratio }: Row) => ratio[end],
          stroke: ({ verdict }: Row) => LOOKS[verdict].color,
          strokeWidth: 2,
          insetTop: 7,
          insetBottom: 7,
        }),
      ),
      Plot.dot(rows, {
        ...at,
        x: ({ ratio }: Row) => ratio.value,
        fill: ({ verdict }: Row) => LOOKS[verdict].color,
        r: 5,
      }),
      Plot.text(rows, {
        ...at,
        frameAnchor: "right",
        textAnchor: "start",
        dx: 12,
        text: (row: Row) => rowText(row, frame),
        fill: ({ verdict }: Row) => LOOKS[verdict].color,
        fontWeight: 600,
      }),
    ],
  };
}

/** "✗ worse, +10 % [+7 %, +14 %]". */
function rowText({ verdict, ratio }: Row, { isNarrow }: Frame): string {
  const text = `${LOOKS[verdict].sign} ${wordOf(verdict)}`;
  if (isNarrow) return text;
  return `${text}, ${percent(ratio.value)} [${percent(ratio.low)}, ${percent(ratio.high)}]`;
}

function percent(ratio: number): string {
  const value = Math.round((ratio - 1) * 1_000) / 10;
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value)} %`;
}

function withUnit(value: number | null, unit: string): string | null {
  return value === null ? null : `${figure(value)} ${unit}`;
}
