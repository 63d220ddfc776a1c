/** One of several plots over the same time, one above the other: lines with their names. */

import * as Plot from "@observablehq/plot";
import type { Axis } from "./axis.ts";
import { logAxis } from "./axis.ts";
import { endLabels } from "./labels.ts";
import type { Drawing, Frame } from "./plot.ts";
import { HALO } from "./plot.ts";

export interface Track {
  text: string;
  /** A step each; null where nothing is known, which the line passes over. */
  values: readonly (number | null)[];
  color: string;
  dash?: string;
  width?: number;
  area?: boolean;
}

export interface Panel {
  title: string;
  type: Axis["type"];
  height: number;
  stepSeconds: number;
  endSeconds: number;
  /** Only the lowest one names the time. */
  isLast: boolean;
  tracks: readonly Track[];
  /** Horizontal lines that the tracks are held against. */
  rules: readonly { at: number; text: string; color: string }[];
}

/** Ours: room above the highest line. */
const HEADROOM = 1.06;
/** Ours: times below a tenth of a millisecond are none that matter, and a logarithm needs an end. */
const LOG_LOW = 0.1;
const LABELS_WIDTH = 94;
/** Ours: longer runs are counted in minutes. */
const MINUTES_FROM_SECONDS = 600;

export function panel(source: Panel, frame: Frame): Drawing {
  const { title, type, height, tracks, rules, stepSeconds, endSeconds, isLast } = source;
  const axis = axisOf(source);
  const isLong = endSeconds > MINUTES_FROM_SECONDS;
  const unit = isLong ? 60 : 1;
  const end = endSeconds / unit;
  const labels = tracks.map(({ text, values, color }) => ({
    at: values.findLast((value) => value !== null) ?? null,
    text,
    color,
  }));
  return {
    height: frame.isNarrow ? Math.max(150, height * 0.85) : height,
    marginRight: LABELS_WIDTH,
    marginTop: 26,
    marginBottom: isLast ? 42 : 24,
    x: { label: isLast ? (isLong ? "minutes" : "seconds") : null, domain: [0, end] },
    y:
      type === "log"
        ? { type, domain: [axis.low, axis.high], axis: null }
        : { label: title, grid: true, domain: [axis.low, axis.high], ticks: height / 45 },
    marks: [
      ...(type === "log" ? [logAxis(axis, title)] : []),
      ...rules.map(({ at, color }) =>
        Plot.ruleY([at], { stroke: color, strokeDasharray: "8,4", strokeWidth: 1.5 }),
      ),
      ...tracks.flatMap((track) => lines(track, stepSeconds / unit, axis)),
      ...rules.map(({ at, text, color }) =>
        Plot.text([text], {
          x: () => 0,
          y: () => at,
          text: () => text,
          fill: color,
          ...HALO,
          textAnchor: "start",
          dx: 4,
          dy: -7,
        }),
      ),
      ...(type === "linear" ? [Plot.ruleY([0])] : []),
      endLabels(labels, end, axis, height),
    ],
  };
}

function axisOf({ type, tracks, rules }: Panel): Axis {
  const values = tracks.flatMap((track) => track.values.filter((value) => value !== null));
  const all = [...values, ...rules.map(({ at }) => at)];
  const most = Math.max(1, ...all);
  if (type === "linear") return { type, low: 0, high: most * HEADROOM };
  const positive = all.filter((value) => value >= LOG_LOW);
  return { type, low: Math.max(LOG_LOW, Math.min(most, ...positive) * 0.8), high: most * 1.3 };
}

function lines({ values, color, dash, width, area }: Track, step: number, axis: Axis) {
  const points = values.flatMap((value, at) =>
    value === null ? [] : [{ x: (at + 0.5) * step, y: Math.max(axis.low, value) }],
  );
  const look = {
    stroke: color,
    strokeWidth: width ?? 1.5,
    ...(dash === undefined ? {} : { strokeDasharray: dash }),
  };
  return [
    ...(area ? [Plot.areaY(points, { x: "x", y: "y", fill: color, fillOpacity: 0.15 })] : []),
    Plot.lineY(points, { x: "x", y: "y", ...look }),
  ];
}
