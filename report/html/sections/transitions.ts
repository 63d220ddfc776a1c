/** When jobs changed their states: the intervals that polls leave, and what the service says. */

import * as Plot from "@observablehq/plot";
import { countText } from "../../../contract/numbers/figures.ts";
import type { TransitionSeries } from "../../../contract/run/series.ts";
import { isTerminal, STATES, stateRank } from "../../../contract/states.ts";
import type { Figure, LegendEntry, Section, Table } from "../figure.ts";
import type { Drawing, Frame, Layout, PlotSize } from "../plot.ts";
import { drawn } from "../plot.ts";

const SHOWS = [
  "job.forward-only",
  "job.terminal-final",
  "job.known-states",
  "job.never-lost",
  "job.duration",
  "job.timestamps",
];

/** Ours: pixels of a row, and what the axis and its name take. */
const ROW_HEIGHT = 21;
const AXIS_HEIGHT = 62;
/** Ours: an end is for ever; it is drawn for this share of the axis, and its name beside it. */
const END_SHARE = 0.015;
const NAMES_WIDTH = 76;
/** Ours: pixels that the name of a state needs. */
const NAME_WIDTH = 62;

const COLORS: Readonly<Record<string, string>> = {
  accepted: "var(--state-waiting)",
  queued: "var(--state-waiting)",
  starting: "var(--state-starting)",
  running: "var(--state-running)",
  completed: "var(--state-done)",
  failed: "var(--state-stopped)",
  timeout: "var(--state-stopped)",
  cancelled: "var(--state-stopped)",
};

/** Seconds after the submission. */
interface Span {
  row: string;
  state: string;
  from: number;
  to: number;
}

interface Row {
  name: string;
  /** Surely in a state. */
  stays: Span[];
  /** The moment of a change lies in here. */
  changes: Span[];
  stated: { row: string; at: number }[];
  /** Where it moved backward. */
  backward: { row: string; at: number }[];
  /** Its last state. */
  end: { row: string; state: string; at: number };
}

export function transitionSection(
  series: readonly TransitionSeries[],
  { idPrefix, size }: Layout,
): Section {
  const id = `${idPrefix}transitions`;
  return {
    id,
    title: "Jobs over time",
    about:
      "A poll shows a state at one moment. The change to the next state happened between two " +
      "polls: the thin, pale line. A tick is the time that the service itself states.",
    figures: series.length === 0 ? [] : [lives(series, `${id}-1`, size)],
  };
}

function lives(series: readonly TransitionSeries[], id: string, size: PlotSize): Figure {
  const ordered = [...series].sort((a, b) => Number(b.isOffender) - Number(a.isOffender));
  const endsMs = ordered.map(({ transitions }) => transitions.at(-1)?.latestMs ?? 0);
  const end = Math.max(0.001, ...endsMs.map((ms) => ms / 1_000));
  const rows = rowsOf(ordered, end * END_SHARE);
  const offenders = ordered.filter(({ isOffender }) => isOffender).length;
  const caption =
    countText(rows.length, "job") +
    (offenders === 0
      ? ", all of which moved forward to an end."
      : `; ✗ marks ${offenders} that moved backward, were lost, or were not seen to end.`);
  return {
    id,
    title: "States over time",
    caption,
    size,
    plots: [drawn(size, `Timeline of states. ${caption}`, (frame) => livesPlot(rows, end, frame))],
    legend: LEGEND,
    table: livesTable(ordered, rows),
    shows: SHOWS,
  };
}

const LEGEND: readonly LegendEntry[] = [
  { sample: "state-waiting", text: "queued" },
  { sample: "state-starting", text: "starting" },
  { sample: "state-running", text: "running" },
  { sample: "state-done", text: "completed" },
  { sample: "state-stopped", text: "failed, timed out or cancelled" },
  { sample: "pale", text: "change between two polls" },
  { sample: "tick", text: "stated by the service" },
  { sample: "symbol off", text: "moved backward" },
];

function rowsOf(series: readonly TransitionSeries[], endLength: number): Row[] {
  return series.map((job, order) => {
    const number = series.slice(0, order + 1).filter(({ part }) => part === job.part).length;
    const name = `${job.isOffender ? "✗ " : ""}${job.part} ${number}`;
    const [stays, changes] = [[] as Span[], [] as Span[]];
    job.transitions.forEach(({ state, earliestMs, latestMs }, at) => {
      const next = job.transitions[at + 1];
      const until = next === undefined ? latestMs / 1_000 + endLength : next.earliestMs / 1_000;
      changes.push({ row: name, state, from: earliestMs / 1_000, to: latestMs / 1_000 });
      stays.push({ row: name, state, from: latestMs / 1_000, to: until });
    });
    const stated = job.transitions.flatMap(({ statedMs }) =>
      statedMs === null ? [] : [{ row: name, at: statedMs / 1_000 }],
    );
    const backward = job.transitions.flatMap(({ state, latestMs }, at) => {
      const before = job.transitions[at - 1];
      return before !== undefined && isBackward(before.state, state)
        ? [{ row: name, at: latestMs / 1_000 }]
        : [];
    });
    const last = stays.at(-1);
    const end = { row: name, state: last?.state ?? "", at: last?.to ?? 0 };
    return {
      name,
      stays: stays.filter(({ from, to }) => to > from),
      changes,
      stated,
      backward,
      end,
    };
  });
}

/** Also out of an end. A state that nobody knows has no place in the order. */
function isBackward(from: string, to: string): boolean {
  const [before, after] = [from, to].map((state) => STATES.find((each) => each === state));
  if (before === undefined || after === undefined) return false;
  return stateRank(after) < stateRank(before) || isTerminal(before);
}

function livesPlot(rows: readonly Row[], end: number, frame: Frame): Drawing {
  const last = end * (1 + END_SHARE);
  const marginLeft = 84;
  const perPixel = last / (frame.width - marginLeft - NAMES_WIDTH);
  const stays = rows.flatMap((row) => row.stays);
  const color = ({ state }: Span) => COLORS[state] ?? "var(--bad)";
  const bar = { x1: "from", x2: "to", y: "row", insetTop: 2, insetBottom: 2 } as const;
  return {
    height: rows.length * ROW_HEIGHT + AXIS_HEIGHT,
    marginLeft,
    marginRight: NAMES_WIDTH,
    x: { label: "seconds after the submission", domain: [0, last], grid: true },
    y: { domain: rows.map(({ name }) => name), label: null, tickSize: 0 },
    marks: [
      Plot.barX(stays, { ...bar, fill: color }),
      Plot.barX(
        rows.flatMap((row) => row.changes),
        { ...bar, insetTop: 6.5, insetBottom: 6.5, fill: color, fillOpacity: 0.45 },
      ),
      Plot.tickX(
        rows.flatMap((row) => row.stated),
        { x: "at", y: "row", stroke: "var(--ink)", strokeWidth: 2 },
      ),
      Plot.dot(
        rows.flatMap((row) => row.backward),
        { x: "at", y: "row", stroke: "var(--bad)", strokeWidth: 2, r: 8 },
      ),
      Plot.text(
        stays.filter(({ from, to }) => (to - from) / perPixel > NAME_WIDTH),
        { x: (span: Span) => (span.from + span.to) / 2, y: "row", text: "state", fill: NAME_COLOR },
      ),
      Plot.text(
        rows.map((row) => row.end),
        { x: "at", y: "row", text: "state", textAnchor: "start", dx: 5, fill: "var(--ink)" },
      ),
    ],
  };
}

/** On the ground of a state's colour, light or dark. */
const NAME_COLOR = "var(--on-state)";

function livesTable(series: readonly TransitionSeries[], rows: readonly Row[]): Table {
  return {
    head: ["job", "state", "from, ms", "to, ms", "stated, ms", "id"],
    rows: series.flatMap(({ jobId, transitions }, at) =>
      transitions.map(({ state, earliestMs, latestMs, statedMs }) => [
        rows[at]?.name ?? "",
        state,
        earliestMs.toFixed(1),
        latestMs.toFixed(1),
        statedMs,
        jobId,
      ]),
    ),
    note: "A change to the state lies between the two times.",
  };
}
