/** A comparison for a person: a table of metrics for the terminal, and one in Markdown. */

import { tookMs } from "../../report/by-verdict.ts";
import {
  aligned,
  duration,
  figure,
  markdownTable,
  oneLine,
  plainMarkdown as plain,
  wrap,
} from "../../report/text.ts";
import type { ComparisonReport, MetricReport } from "./model.ts";

const WORDS: Readonly<Record<MetricReport["verdict"], string>> = {
  better: "better",
  worse: "WORSE",
  same: "same",
  unknown: "can't tell",
};

const COLUMNS = ["metric", "base", "candidate", "worse by", "interval", "margin", "verdict"];

export function renderComparison(report: ComparisonReport, { width }: { width: number }): string {
  const blocks = [
    headLines(report).flatMap((line) => wrap(line, width)),
    aligned([COLUMNS, ...report.metrics.map(cellsOf)]),
    reasonLines(report).flatMap((line) => wrap(line, width)),
    report.notes.flatMap((note) => wrap(`· ${note}`, width)),
    [closingLine(report)],
  ];
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

export function renderComparisonMarkdown(report: ComparisonReport): string {
  const rows = report.metrics.map((metric) => cellsOf(metric).map(plain));
  const blocks = [
    `# Plumbline compare: ${WORDS[report.verdict]}`,
    headLines(report).map(plain).join("  \n"),
    markdownTable(COLUMNS, rows),
    [...reasonLines(report), ...report.notes].map((line) => `- ${plain(line)}`).join("\n"),
    plain(closingLine(report)),
  ];
  return `${blocks.filter((text) => text !== "").join("\n\n")}\n`;
}

function headLines(report: ComparisonReport): string[] {
  const { base, candidate, load, rounds, discarded } = report;
  const left = discarded === 0 ? "" : `, ${discarded} rounds left out`;
  const order = report.kind === "before-after" ? "one after the other" : "in random ABBA order";
  return [
    `base ${base.label} (${base.baseUrl}), candidate ${candidate.label} (${candidate.baseUrl})`,
    `${rounds.flat().length} blocks of ${load.blockSeconds} s at ${figure(load.jobsPerSecond)} ` +
      `jobs/s, ${order}${left}; ${duration(tookMs(report))}, seed ${report.seed}`,
  ];
}

function cellsOf(metric: MetricReport): string[] {
  const { name, unit, base, candidate, change, low, high, margin, verdict } = metric;
  const interval = low === null || high === null ? "–" : `[${signed(low)}, ${signed(high)}]`;
  return [
    name,
    level(base, unit),
    level(candidate, unit),
    change === null ? "–" : signed(change),
    interval,
    `±${percent(margin)}`,
    WORDS[verdict],
  ];
}

function level(value: number | null, unit: MetricReport["unit"]): string {
  if (value === null) return "–";
  if (unit === "share") return percent(value);
  return `${figure(value)} ${unit}`;
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))} %`;
}

function signed(share: number): string {
  return `${share > 0 ? "+" : ""}${percent(share)}`;
}

function reasonLines({ metrics }: ComparisonReport): string[] {
  const byReason = Map.groupBy(metrics, ({ reason }) => reason);
  return [...byReason].flatMap(([reason, group]) =>
    reason === null ? [] : [`can't tell ${group.map(({ name }) => name).join(", ")}: ${reason}`],
  );
}

function closingLine({ verdict, verdictReason, exitCode }: ComparisonReport): string {
  return `${WORDS[verdict].toUpperCase()}: ${oneLine(verdictReason)} (${exitCode})`;
}
