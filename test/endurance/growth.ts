/** What processes hold over the time of a long run, and by how much it grows. */

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { tExceededWith } from "../../capacity/statistics/distributions.ts";

const run = promisify(execFile);

/** By the name of what is counted; memory in megabytes. */
export type Figures = Readonly<Record<string, number>>;

export interface Sample {
  minutes: number;
  figures: Figures;
}

/** What a process tells of itself. */
export interface OwnFigures {
  /** Reachable in its main thread, right after a full collection. */
  heapBytes: number;
  timers: number;
}

interface ProcessRow {
  pid: number;
  parent: number;
  megabytes: number;
  command: string;
}

export async function processes(): Promise<ProcessRow[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="]);
  return stdout.split("\n").flatMap((line) => {
    const [pid, parent, kilobytes, ...command] = line.trim().split(/\s+/);
    if (command.length === 0) return [];
    const megabytes = Number(kilobytes) / 1_024;
    return [{ pid: Number(pid), parent: Number(parent), megabytes, command: command.join(" ") }];
  });
}

/** Open descriptors; 0 where the system does not list them (proc(5)). */
export async function descriptorsOf(pid: number | undefined): Promise<number> {
  const listed = await readdir(`/proc/${pid}/fd`).catch(() => []);
  return listed.length;
}

export const inMegabytes = (bytes: number) => bytes / 1_024 ** 2;

/** A figure of each of so many spans of equal length; none of those without a sample. */
function spansOf(
  samples: readonly Sample[],
  spans: number,
  figure: (values: readonly number[]) => number,
): Sample[] {
  const end = samples.at(-1)?.minutes ?? 0;
  const names = Object.keys(samples[0]?.figures ?? {});
  return Array.from({ length: spans }, (_, n): Sample[] => {
    const [from, to] = [(end * n) / spans, (end * (n + 1)) / spans];
    const own = samples.filter(({ minutes }) => minutes > from && minutes <= to);
    const of = (name: string) => figure(own.map(({ figures }) => figures[name] ?? 0));
    const figures = Object.fromEntries(names.map((name) => [name, of(name)]));
    return own.length === 0 ? [] : [{ minutes: to, figures }];
  }).flat();
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** What a heap falls back to when it is collected: it grows if anything is kept. */
const lowest = (values: readonly number[]) => Math.min(...values);

/** What a table shows of a run. */
export interface Layout {
  rows: number;
  /** Spans whose lowest values the growth is of. */
  lows: number;
  row: { name: string; minutes: number };
  growth: { name: string; minutes: number };
  digits: number;
}

/** Ours: a span for the growth is long enough for a collection of the heap. */
const REAL_TIME: Layout = {
  rows: 6,
  lows: 15,
  row: { name: "minute", minutes: 1 },
  growth: { name: "an hour", minutes: 60 },
  digits: 0,
};

/** In the layout's time, with the bounds of 95 %. */
interface Growth {
  slope: number;
  low: number;
  high: number;
}

/** Least squares over what came after the first third; the bounds are Student's. */
function growthOf(samples: readonly Sample[], name: string, spanMinutes: number): Growth {
  const end = samples.at(-1)?.minutes ?? 0;
  const points = samples
    .filter(({ minutes }) => minutes > end / 3)
    .map(({ minutes, figures }) => [minutes / spanMinutes, figures[name] ?? 0] as const);
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const variance = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const degrees = points.length - 2;
  if (variance === 0 || degrees < 1) {
    return { slope: 0, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  }
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / variance;
  const squares = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  const reach = tExceededWith(0.025, degrees) * Math.sqrt(squares / degrees / variance);
  return { slope, low: slope - reach, high: slope + reach };
}

/**
 * Means and lowest values, as what a collected heap takes goes up and down, and the growth of the
 * lowest: a table in Markdown.
 */
export function growthTable(samples: readonly Sample[], layout = REAL_TIME): string {
  const { rows: spans, lows: fine, row, growth, digits } = layout;
  const names = Object.keys(samples[0]?.figures ?? {});
  const [means, lows] = [spansOf(samples, spans, mean), spansOf(samples, spans, lowest)];
  const rows = means.map(({ minutes, figures }, at) => [
    `until ${row.name} ${(minutes / row.minutes).toFixed(1)}`,
    ...names.map((name) => {
      const [middle, low] = [figures[name] ?? 0, lows[at]?.figures[name] ?? 0];
      return `${middle.toFixed(digits)} (${low.toFixed(digits)})`;
    }),
  ]);
  const late = spansOf(samples, fine, lowest);
  const grown = names.map((name) => {
    const { slope, low, high } = growthOf(late, name, growth.minutes);
    const [middle, from, to] = [slope, low, high].map((each) => each.toFixed(digits + 1));
    return `${middle} (${from} to ${to})`;
  });
  const table = [
    ["mean (lowest); memory in MB", ...names],
    ["---", ...names.map(() => "---")],
    ...rows,
    [`growth of the lowest after the first third, ${growth.name} (95 %)`, ...grown],
  ];
  return `${table.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`;
}
