/** The soak over time: throughput, jobs in flight, latency, and beneath it the generator's own. */

import type { LoadSeries } from "../../../contract/run/series.ts";
import { duration } from "../../text.ts";
import type { Figure, Section, Table } from "../figure.ts";
import type { Panel, Track } from "../panel.ts";
import { panel } from "../panel.ts";
import type { Frame, Layout, PlotSize } from "../plot.ts";
import { drawn } from "../plot.ts";

const SHOWS = [
  "load.throughput",
  "load.latency",
  "load.stable",
  "load.errors",
  "load.no-losses",
  "load.webhooks",
];
/** Ours: rows that a reader still compares by eye; report.json has every step. */
const TABLE_ROWS_MAX = 30;
/** Ours: a figure of three digits is read faster than one of six. */
const DIGITS = 3;

export function loadSection(series: readonly LoadSeries[], { idPrefix, size }: Layout): Section {
  const id = `${idPrefix}load`;
  return {
    id,
    title: "Load",
    about:
      "Jobs were offered at a fixed rate, whatever the service answered. The lowest chart shows " +
      "where the generator itself was late: there, the charts above are less reliable.",
    figures: series
      .filter(({ offered }) => offered.length > 0)
      .map((each, at) => overTime(each, `${id}-${at + 1}`, size)),
  };
}

function overTime(series: LoadSeries, id: string, size: PlotSize): Figure {
  const { jobsPerSecond, offerSeconds, submitP99Ms, queueWaitP99Ms } = series;
  const slowest = `${worst(submitP99Ms)} for submissions, ${worst(queueWaitP99Ms)} in the queue`;
  const caption =
    `${round(jobsPerSecond)} jobs a second for ${duration(offerSeconds * 1_000)}; ` +
    `the slowest p99 of a step was ${slowest}.`;
  const panels = panelsOf(series);
  return {
    id,
    title: "The run over time",
    caption,
    size,
    plots: panels.map((each) =>
      drawn(size, `${each.title} over the run. ${caption}`, (frame: Frame) => panel(each, frame)),
    ),
    table: loadTable(series),
    shows: SHOWS,
  };
}

function worst(values: readonly (number | null)[]): string {
  const known = values.filter((each) => each !== null);
  return known.length === 0 ? "not told" : duration(round(Math.max(...known)));
}

function panelsOf(series: LoadSeries): Panel[] {
  const { stepSeconds, offered, objectives, jobsPerSecond } = series;
  const common = { stepSeconds, endSeconds: offered.length * stepSeconds, isLast: false };
  const hasErrors = series.errors.some((count) => count > 0);
  const share = objectives.throughputShare;
  return [
    {
      ...common,
      title: "jobs a second",
      type: "linear",
      height: 210,
      tracks: [
        { text: "offered", values: whileOffering(series), color: "var(--soft)", dash: "2,3" },
        { text: "completed", values: series.completed, color: "var(--first)", width: 2 },
        ...(hasErrors ? [errorTrack(series.errors)] : []),
      ],
      rules:
        share === null ? [] : [{ at: share * jobsPerSecond, text: "objective", color: OBJECTIVE }],
    },
    {
      ...common,
      title: "jobs in flight",
      type: "linear",
      height: 130,
      tracks: [{ text: "in flight", values: series.backlog, color: "var(--third)", area: true }],
      rules: [],
    },
    {
      ...common,
      title: "latency, ms",
      type: "log",
      height: 260,
      tracks: latencyTracks(series),
      rules: [
        ...objective(objectives.submitP99Ms, "submit objective"),
        ...objective(objectives.queueWaitP99Ms, "queue objective"),
      ],
    },
    {
      ...common,
      isLast: true,
      title: "lateness of the generator, ms",
      type: "log",
      height: 170,
      tracks: [
        { text: "send p99", values: series.sendLagP99Ms, color: "var(--first)" },
        { text: "timers max", values: series.loopDelayMaxMs, color: "var(--second)", dash: "5,3" },
        { text: "threads max", values: series.hostLagMaxMs, color: "var(--third)", dash: "1,3" },
      ],
      rules: [],
    },
  ];
}

/** After the last submission nothing is offered, which is no fall. */
function whileOffering({ offered, offerSeconds, stepSeconds }: LoadSeries): (number | null)[] {
  return offered.map((count, at) => ((at + 1) * stepSeconds > offerSeconds ? null : count));
}

const OBJECTIVE = "var(--plan)";

function errorTrack(values: readonly number[]): Track {
  return { text: "✕ errors", values, color: "var(--bad)", isRare: true };
}

function objective(at: number | null, text: string) {
  return at === null ? [] : [{ at, text, color: OBJECTIVE }];
}

function latencyTracks(series: LoadSeries): Track[] {
  const submit = { color: "var(--first)" };
  const queue = { color: "var(--second)" };
  return [
    { text: "queue p99", values: series.queueWaitP99Ms, ...queue, width: 2 },
    { text: "queue p50", values: series.queueWaitP50Ms, ...queue, dash: "4,3" },
    { text: "submit p99", values: series.submitP99Ms, ...submit, width: 2 },
    { text: "submit p50", values: series.submitP50Ms, ...submit, dash: "4,3" },
  ];
}

function loadTable(series: LoadSeries): Table {
  const columns: [string, readonly (number | null)[]][] = [
    ["offered/s", series.offered],
    ["completed/s", series.completed],
    ["errors/s", series.errors],
    ["in flight", series.backlog],
    ["submit p50", series.submitP50Ms],
    ["submit p99", series.submitP99Ms],
    ["queue p50", series.queueWaitP50Ms],
    ["queue p99", series.queueWaitP99Ms],
    ["send lag p99", series.sendLagP99Ms],
    ["timers max", series.loopDelayMaxMs],
    ["threads max", series.hostLagMaxMs],
  ];
  const steps = series.offered.length;
  const every = Math.max(1, Math.ceil(steps / TABLE_ROWS_MAX));
  const shown = Array.from({ length: Math.ceil(steps / every) }, (_, at) => at * every);
  return {
    head: ["seconds", ...columns.map(([name]) => name)],
    rows: shown.map((at) => [
      round(at * series.stepSeconds),
      ...columns.map(([, values]) => {
        const value = values[at];
        return value == null ? null : round(value);
      }),
    ]),
    note: `Times in ms. ${shown.length} of ${steps} steps; report.json has all of them.`,
  };
}

function round(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
