/** By how much timed-out jobs overshot the limit of their worker, against what is tolerated. */

import * as Plot from "@observablehq/plot";
import type { TimeoutSeries } from "../../../contract/run/series.ts";
import { duration } from "../../text.ts";
import type { Figure, Section } from "../figure.ts";
import type { Drawing, Layout } from "../plot.ts";
import { drawn } from "../plot.ts";

const SHOWS = ["timeout.not-early", "timeout.not-late", "timeout.fires"];
/** Ours: bars over the whole axis; fewer hide a second group, more leave gaps. */
const BINS = 40;
const HEIGHT = 220;
/** Ours: room beside the outermost value. */
const PADDING_SHARE = 0.06;

export function timeoutSection(series: readonly TimeoutSeries[], { idPrefix }: Layout): Section {
  const id = `${idPrefix}timeout`;
  return {
    id,
    title: "Run limits",
    about:
      "How long after its worker's limit each job ended as timed out. Negative is too early; the " +
      "green area is the tolerance.",
    figures: series
      .filter(({ overshootsMs }) => overshootsMs.length > 0)
      .map((each, at) => overshoots(each, `${id}-${at + 1}`)),
  };
}

function overshoots(series: TimeoutSeries, id: string): Figure {
  const { worker, limitMs, earlyMs, lateMs, overshootsMs, jobs } = series;
  const outside = overshootsMs.filter((ms) => ms < -earlyMs || ms > lateMs).length;
  const [least, most] = [overshootsMs[0] ?? 0, overshootsMs.at(-1) ?? 0];
  const range = `from ${duration(least)} to ${duration(most)} after the limit`;
  const caption =
    `${jobs} jobs timed out ${range} of ${duration(limitMs)}; ` +
    `${outside} outside of −${duration(earlyMs)} to +${duration(lateMs)}.`;
  return {
    id,
    title: `Overshoot of ${worker}`,
    caption,
    size: "half",
    plots: [drawn("half", `Distribution of overshoots. ${caption}`, () => histogram(series))],
    table: {
      head: ["job", "overshoot, ms", "standing"],
      rows: overshootsMs.map((ms, at) => [
        at + 1,
        ms,
        ms < -earlyMs ? "early" : ms > lateMs ? "late" : "in time",
      ]),
      ...(jobs > overshootsMs.length ? { note: `A sample of ${jobs} jobs, with extremes.` } : {}),
    },
    shows: SHOWS,
  };
}

function histogram({ overshootsMs, earlyMs, lateMs }: TimeoutSeries): Drawing {
  const low = Math.min(-earlyMs, ...overshootsMs);
  const high = Math.max(lateMs, ...overshootsMs);
  const padding = (high - low) * PADDING_SHARE;
  const [from, to] = [low - padding, high + padding];
  const step = (to - from) / BINS;
  const thresholds = Array.from({ length: BINS + 1 }, (_, at) => from + at * step);
  const isOut = (ms: number) => ms < -earlyMs || ms > lateMs;
  const bars = (values: readonly number[], fill: string) =>
    Plot.rectY(
      values,
      Plot.binX<Plot.RectYOptions>({ y: "count" }, { x: (ms: number) => ms, thresholds, fill }),
    );
  return {
    height: HEIGHT,
    x: { label: "ms after the limit", domain: [from, to] },
    y: { label: "jobs", grid: true, tickFormat: "d", ticks: 5 },
    marks: [
      Plot.rectX([0], { x1: -earlyMs, x2: lateMs, fill: "var(--plan-ground)" }),
      Plot.ruleX([-earlyMs, lateMs], { stroke: "var(--plan)", strokeDasharray: "4,3" }),
      bars(
        overshootsMs.filter((ms) => !isOut(ms)),
        "var(--first)",
      ),
      bars(overshootsMs.filter(isOut), "var(--bad)"),
      Plot.ruleX([0], { stroke: "var(--ink)" }),
      Plot.text(["limit"], { x: 0, frameAnchor: "top", dy: -14, fill: "var(--ink)" }),
      Plot.ruleY([0]),
    ],
  };
}
