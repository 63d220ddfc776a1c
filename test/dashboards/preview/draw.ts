/** Draws panels as HTML and SVG: a preview of layout and data, no picture of Grafana. */

import type { Color, Panel } from "../../../dashboards/boards/panel.ts";
import { colorsByName } from "../../../dashboards/boards/series-colors.ts";
import type { Series } from "./ask.ts";
import { COLORS, shownAs, spell } from "./units.ts";

/** Answers to a panel's queries, in their order. */
export type Answers = readonly (readonly Series[])[];

export interface Frame {
  /** Of the panel's content, in pixels. */
  width: number;
  height: number;
  fromMs: number;
  toMs: number;
}

const LINES = [
  "#73bf69",
  "#f2cc0c",
  "#5794f2",
  "#ff9830",
  "#f2495c",
  "#b877d9",
  "#8ab8ff",
  "#fade2a",
];

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

type Point = readonly [ms: number, value: number];

interface Named {
  name: string;
  points: readonly Point[];
  last: number;
}

/** All series of a panel by their legends, with numbers in place of texts. */
function namedSeries(panel: Panel, answers: Answers): Named[] {
  return answers.flatMap((series, at) =>
    series.map(({ metric, value, values }) => {
      const legend = panel.queries[at]?.legend ?? "";
      const name = legend
        .replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => metric[label] ?? "")
        .trim();
      const all = values ?? (value === undefined ? [] : [value]);
      const points = all
        .map(([seconds, text]) => [seconds * 1_000, Number(text)] as const)
        .filter(([, each]) => Number.isFinite(each));
      return { name, points, last: points.at(-1)?.[1] ?? Number(all.at(-1)?.[1] ?? Number.NaN) };
    }),
  );
}

export function drawPanel(panel: Panel, answers: Answers, frame: Frame): string {
  if (panel.kind === "table") return table(panel, answers[0] ?? [], frame);
  const series = namedSeries(panel, answers);
  if (series.length === 0) return `<p class="none">${escaped(panel.noValue ?? "No data")}</p>`;
  if (panel.kind === "stat") return stats(panel, series);
  if (panel.kind === "bargauge") return gauges(panel, series);
  if (panel.kind === "heatmap") return heatmap(panel, answers[0] ?? [], frame);
  if (panel.kind === "state-timeline") return timeline(panel, series, frame);
  return lines(panel, series, frame);
}

function stats(panel: Panel, series: readonly Named[]): string {
  const cells = series.map(({ name, last }) => {
    const steps = panel.stepsOf?.[name] ?? panel.steps;
    const { text, color } = shownAs(last, steps === undefined ? panel : { ...panel, steps });
    const size = text.length > 12 ? 18 : 30;
    const label = series.length > 1 ? `<small>${escaped(name)}</small>` : "";
    return `<div style="color:${COLORS[color]};font-size:${size}px">${escaped(text)}${label}</div>`;
  });
  return `<div class="stats">${cells.join("")}</div>`;
}

function gauges(panel: Panel, series: readonly Named[]): string {
  const { max = Math.max(1, ...series.map(({ last }) => last)) } = panel;
  const min = panel.min ?? 0;
  const bars = series.map(({ name, last }) => {
    const { text, color } = shownAs(last, panel);
    const share = Math.min(1, Math.max(0, (last - min) / (max - min)));
    const bar = `<i style="width:${share * 100}%;background:${COLORS[color]}"></i>`;
    const value = `<b style="color:${COLORS[color]}">${escaped(text)}</b>`;
    return `<label>${escaped(name)}</label><div>${bar}</div>${value}`;
  });
  return `<div class="gauges">${bars.join("")}</div>`;
}

function table(panel: Panel, series: readonly Series[], { height }: Frame): string {
  const columns = panel.columns ?? [];
  const rows = series.map(({ metric, value }) =>
    columns.map(({ label, unit, shown }) => {
      const raw = label === "Value" ? (value?.[1] ?? "") : (metric[label] ?? "");
      const mapped = shown?.[raw];
      const text =
        mapped?.text ?? (label === "Value" ? spell(Number(raw), unit ?? panel.unit) : raw);
      const color = mapped?.color === undefined ? "" : ` style="color:${COLORS[mapped.color]}"`;
      return `<td${color}>${escaped(text)}</td>`;
    }),
  );
  if (rows.length === 0) return `<p class="none">${escaped(panel.noValue ?? "No data")}</p>`;
  const head = columns.map(({ title, width }) => {
    return `<th${width === undefined ? "" : ` style="width:${width}px"`}>${escaped(title)}</th>`;
  });
  const fitting = rows.slice(0, Math.floor(height / 28));
  const body = fitting.map((row) => `<tr>${row.join("")}</tr>`).join("");
  // Where there is no room for its columns, a table of Grafana's can be pushed aside.
  const least = columns.reduce((sum, { width = COLUMN }) => sum + width, 0);
  return `<table style="min-width:${least}px"><tr>${head.join("")}</tr>${body}</table>`;
}

/** Of a column without a width of its own, in Grafana. */
const COLUMN = 150;

/** Pixels for the values at the left, the times below, and the names below these. */
const LEFT = 80;
const TIMES = 18;
const NAMES = 36;

function lines(panel: Panel, series: readonly Named[], frame: Frame): string {
  const plot = { width: frame.width - LEFT - 4, height: frame.height - TIMES - NAMES };
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const low = Math.min(panel.min ?? Number.POSITIVE_INFINITY, ...values);
  // Where nothing moves, the axis still needs two ends that differ.
  const top = Math.max(...values, low);
  const high = top > low ? top : low + 1;
  const scaled = panel.scale === "log" ? symlog : (value: number) => value;
  const share = (value: number) => (scaled(value) - scaled(low)) / (scaled(high) - scaled(low));
  const x = (ms: number) => LEFT + ((ms - frame.fromMs) / (frame.toMs - frame.fromMs)) * plot.width;
  const y = (value: number) => plot.height - share(value) * (plot.height - 8);
  const stepMs = Math.min(
    ...series.flatMap(({ points }) => points.slice(1).map(([ms], n) => ms - (points[n]?.[0] ?? 0))),
  );
  const drawn = series.map(({ points, name }, at) => {
    const color = seriesColor(panel, name);
    const stroke = color === null ? LINES[at % LINES.length] : COLORS[color];
    const isDashed = panel.dashed !== undefined && new RegExp(`^${panel.dashed}$`).test(name);
    const place = ([ms, value]: Point) => `${x(ms).toFixed(1)},${y(value).toFixed(1)}`;
    const dash = isDashed ? ' stroke-dasharray="5 4"' : "";
    if (panel.kind === "bars") {
      const bars = points
        .filter(([, value]) => value > 0)
        .map(([ms, value]) => {
          return `<line x1="${x(ms)}" x2="${x(ms)}" y1="${y(Math.max(0, low))}" y2="${y(value)}"/>`;
        });
      return `<g stroke="${stroke}" stroke-width="2">${bars.join("")}</g>`;
    }
    const parts = unbroken(points, stepMs).map((part) => {
      const [only] = part.length === 1 ? part : [];
      if (only === undefined) {
        const path = part.map(place).join(" ");
        return `<polyline points="${path}" fill="none" stroke="${stroke}"${dash}/>`;
      }
      const [cx, cy] = place(only).split(",");
      return `<circle cx="${cx}" cy="${cy}" r="2" fill="${stroke}"/>`;
    });
    return parts.join("");
  });
  const middle = panel.scale === "log" ? Math.sqrt(Math.max(1, low) * high) : (low + high) / 2;
  const decimals = panel.decimals ?? (panel.kind === "bars" ? 0 : undefined);
  const told = new Map(
    [low, middle, high].map((each) => [spell(each, panel.unit, decimals), each]),
  );
  const ticks = [...told].map(([text, value]) => {
    const name = beside(LEFT, y(value), text);
    const ends = `x1="${LEFT}" x2="${LEFT + plot.width}" y1="${y(value)}" y2="${y(value)}"`;
    return `${name}<line class="grid" ${ends}/>`;
  });
  return `${svg(frame, [...ticks, ...drawn, axis(frame, plot.height)])}${names(panel, series)}`;
}

/** Grafana draws no line across a step without a value. */
function unbroken(points: readonly Point[], stepMs: number): readonly (readonly Point[])[] {
  const begins = points.flatMap(([ms], at) => {
    const before = points[at - 1]?.[0];
    return before === undefined || ms - before > 1.5 * stepMs ? [at] : [];
  });
  return begins.map((begin, n) => points.slice(begin, begins[n + 1]));
}

/** Linear up to 1, logarithmic above, as Grafana's scale of this name. */
function symlog(value: number): number {
  const size = Math.abs(value);
  return Math.sign(value) * (size <= 1 ? size : 1 + Math.log10(size));
}

function svg({ width, height }: Frame, parts: readonly string[], below = NAMES): string {
  return `<svg width="${width}" height="${height - below}">${parts.join("")}</svg>`;
}

/** A name at the left of a plot that begins at `left`. */
function beside(left: number, y: number, text: string): string {
  return `<text x="${left - 6}" y="${y + 4}" text-anchor="end">${escaped(text)}</text>`;
}

interface Size {
  x: number;
  y: number;
  width: number;
  height: number;
}

function rectangle({ x, y, width, height }: Size, fill: string, opacity = 1): string {
  const place = `x="${x.toFixed(1)}" y="${y.toFixed(1)}"`;
  const size = `width="${width.toFixed(1)}" height="${height.toFixed(1)}"`;
  // Sharp edges leave no seams between neighbours.
  const look = `fill="${fill}" opacity="${opacity.toFixed(2)}" shape-rendering="crispEdges"`;
  return `<rect ${place} ${size} ${look}/>`;
}

function axis({ width, fromMs, toMs }: Frame, top: number): string {
  const at = (share: number) => new Date(fromMs + share * (toMs - fromMs)).toISOString();
  return [0.1, 0.5, 0.9]
    .map((share) => {
      const x = LEFT + share * (width - LEFT);
      const clock = at(share).slice(11, 19);
      return `<text x="${x}" y="${top + 14}" text-anchor="middle">${clock}</text>`;
    })
    .join("");
}

function names(panel: Panel, series: readonly Named[]): string {
  const entries = series.map(({ name }, at) => {
    const color = seriesColor(panel, name);
    const fill = color === null ? LINES[at % LINES.length] : COLORS[color];
    return `<span><i style="background:${fill}"></i>${escaped(name)}</span>`;
  });
  return `<div class="names">${entries.join("")}</div>`;
}

/** One row a bucket; the darker the fewer. */
function heatmap(panel: Panel, series: readonly Series[], frame: Frame): string {
  const bounds = series
    .map((each) => ({ le: Number(each.metric.le?.replace("+Inf", "Infinity")), each }))
    .sort((one, other) => one.le - other.le);
  const top = frame.height - TIMES;
  const rowHeight = top / Math.max(1, bounds.length);
  const cellsOf = bounds.map(({ each }, at) => ownCounts(each, bounds[at - 1]?.each));
  const most = Math.max(1e-9, ...cellsOf.flat().map(([, count]) => count));
  const width = frame.width - LEFT;
  const x = (seconds: number) =>
    LEFT + ((seconds * 1_000 - frame.fromMs) / (frame.toMs - frame.fromMs)) * width;
  const cells = bounds.flatMap(({ le }, at) => {
    const y = top - (at + 1) * rowHeight;
    const label = beside(LEFT, y + rowHeight / 2, spell(le, panel.unit));
    const filled = (cellsOf[at] ?? []).filter(([, count]) => count > 1e-9);
    const rects = filled.map(([seconds, count]) => {
      const share = 0.25 + 0.75 * (count / most);
      const size = { x: x(seconds), y, width: 4, height: rowHeight - 1 };
      return rectangle(size, COLORS.orange, share);
    });
    return [label, ...rects];
  });
  return svg(frame, [...cells, axis(frame, top)], 0);
}

/** Buckets of Prometheus hold those below them as well; Grafana takes these off. */
function ownCounts({ values = [] }: Series, below: Series | undefined): [number, number][] {
  const lower = new Map((below?.values ?? []).map(([seconds, text]) => [seconds, Number(text)]));
  return values.map(([seconds, text]) => [seconds, Number(text) - (lower.get(seconds) ?? 0)]);
}

function timeline(panel: Panel, series: readonly Named[], frame: Frame): string {
  const left = 140;
  const top = frame.height - TIMES;
  const rowHeight = top / series.length;
  const x = (ms: number) =>
    left + ((ms - frame.fromMs) / (frame.toMs - frame.fromMs)) * (frame.width - left);
  const rows = series.flatMap(({ name, points }, at) => {
    const y = at * rowHeight;
    const rects = points.map(([ms, value], index) => {
      const { color } = shownAs(value, panel);
      if (color === "transparent") return "";
      const next = points[index + 1]?.[0] ?? frame.toMs;
      const height = Math.max(2, rowHeight - 4);
      return rectangle({ x: x(ms), y: y + 2, width: x(next) - x(ms), height }, COLORS[color]);
    });
    return [beside(left, y + rowHeight / 2, name), ...rects];
  });
  return svg(frame, [...rows, axis(frame, top)], 0);
}

/** The colour of a series of this name; null where it is any. */
function seriesColor(panel: Panel, name: string): Color | null {
  const own = panel.colors?.[name];
  if (own !== undefined) return own;
  const found = colorsByName(panel).find(([pattern]) => new RegExp(`^${pattern}$`).test(name));
  return found?.[1] ?? panel.shade ?? null;
}
