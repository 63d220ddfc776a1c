/** The capacity curve: what was achieved for what was offered, its knee, and latency beneath. */

import * as Plot from "@observablehq/plot";
import type { CapacityCurve, CapacityPoint } from "../../capacity-page.ts";
import { figure } from "../../text.ts";
import { logAxis } from "../axis.ts";
import type { Figure, Section } from "../figure.ts";
import { utc } from "../overview.ts";
import type { Drawing, Frame } from "../plot.ts";
import { drawn, HALO } from "../plot.ts";

const HEIGHTS = { achieved: 320, latency: 190 };
/** Ours: room beyond the highest rate. */
const HEADROOM = 1.06;
const LOG_ROOM = 1.6;

export function capacitySection(curves: readonly CapacityCurve[]): Section {
  return {
    id: "capacity",
    title: "Capacity",
    about:
      "Each mark is a run at one rate. While the service keeps up, the marks are on the dotted " +
      "line; the band is the interval of its capacity.",
    figures: curves.map((curve, at) => curveFigure(curve, `capacity-${at + 1}`)),
  };
}

function curveFigure(curve: CapacityCurve, id: string): Figure {
  const { unit, summary, notes, points, bottleneck } = curve;
  const why = bottleneck === null ? "" : `; ${bottleneck.bottleneck}: ${bottleneck.text}`;
  const caption = `${summary}${why}`;
  const label = (what: string) => `${what} over offered ${unit} a second. ${caption}`;
  const hasLatency = points.some(({ p95Ms }) => p95Ms !== null);
  return {
    id,
    title: `${curve.baseUrl}, ${utc(curve.startedAt)}, in ${unit}`,
    caption: [caption, ...notes].join("; note: "),
    size: "whole",
    plots: [
      drawn("whole", label("Achieved"), (frame) => achievedPlot(curve, frame)),
      ...(hasLatency ? [drawn("whole", label("p95 latency"), () => latencyPlot(curve))] : []),
    ],
    legend: [
      { sample: "symbol accepted", text: "objective kept" },
      { sample: "symbol failed", text: "objective not kept" },
      { sample: "symbol slow", text: "withdrawn: the run tells nothing" },
      { sample: "plan", text: "interval of the capacity" },
    ],
    table: {
      head: ["offered/s", "achieved/s", "p95, ms", "objective"],
      rows: points.map((point) => [
        figure(point.offeredPerSecond),
        point.achievedPerSecond === null ? null : figure(point.achievedPerSecond),
        point.p95Ms === null ? null : Math.round(point.p95Ms),
        { pass: "kept", fail: "not kept", withdrawn: "withdrawn" }[point.outcome],
      ]),
    },
  };
}

function highestRate({ points, estimate }: CapacityCurve): number {
  const rates = points.map(({ offeredPerSecond }) => offeredPerSecond);
  return Math.max(1, estimate?.high ?? 0, ...rates) * HEADROOM;
}

function achievedPlot(curve: CapacityCurve, frame: Frame): Drawing {
  const { unit, points, kneePerSecond, planPerSecond } = curve;
  const most = highestRate(curve);
  const achieved = points.map(({ achievedPerSecond }) => achievedPerSecond ?? 0);
  const top = Math.min(most, Math.max(1, ...achieved) * 1.25);
  const knee = kneePerSecond === null ? [] : [kneePerSecond];
  const isPlanInView = planPerSecond !== null && planPerSecond <= most;
  return {
    height: frame.isNarrow ? 270 : HEIGHTS.achieved,
    marginTop: 30,
    x: { label: `${unit} offered a second`, domain: [0, most] },
    y: { label: "achieved a second", grid: true, domain: [0, top] },
    marks: [
      ...estimateBand(curve),
      Plot.line(
        [
          [0, 0],
          [top, top],
        ],
        { stroke: "var(--soft)", strokeDasharray: "2,4" },
      ),
      ...(isPlanInView
        ? [
            Plot.ruleX([planPerSecond], { stroke: "var(--second)", strokeDasharray: "8,4" }),
            note("plan of the keys", planPerSecond, "var(--second)", {
              anchor: "end",
              side: "top",
            }),
          ]
        : []),
      Plot.ruleX(knee, { stroke: "var(--third)" }),
      ...knee.map((at) => note("knee", at, "var(--third)", { anchor: "start", side: "bottom" })),
      ...pointMarks(points, "achievedPerSecond"),
      Plot.ruleY([0]),
    ],
  };
}

/** Beside a vertical line. */
function note(
  text: string,
  x: number,
  fill: string,
  { anchor, side }: { anchor: "start" | "end"; side: "top" | "bottom" },
) {
  return Plot.text([text], {
    x: () => x,
    frameAnchor: side,
    text: () => text,
    fill,
    textAnchor: anchor,
    fontWeight: 600,
    ...HALO,
    dx: anchor === "start" ? 5 : -5,
    dy: side === "bottom" ? -6 : 6,
  });
}

function estimateBand({ estimate }: CapacityCurve) {
  if (estimate === null) return [];
  const { low, high, perSecond } = estimate;
  const text = `${figure(perSecond)}/s [${figure(low)}, ${figure(high)}]`;
  return [
    Plot.rectX([0], { x1: low, x2: high, fill: "var(--plan-ground)" }),
    Plot.ruleX([perSecond], { stroke: "var(--plan)", strokeWidth: 2 }),
    Plot.text([text], {
      x: () => perSecond,
      frameAnchor: "top",
      text: () => text,
      fill: "var(--plan)",
      fontWeight: 600,
      textAnchor: "end",
      dx: -6,
      dy: -14,
    }),
  ];
}

function latencyPlot(curve: CapacityCurve): Drawing {
  const { unit, points } = curve;
  const times = points.flatMap(({ p95Ms }) => p95Ms ?? []);
  const [low, high] = [Math.min(...times) / LOG_ROOM, Math.max(...times) * LOG_ROOM];
  return {
    height: HEIGHTS.latency,
    x: { label: `${unit} offered a second`, domain: [0, highestRate(curve)] },
    y: { type: "log", domain: [low, high], axis: null },
    marks: [
      logAxis({ type: "log", low, high }, "p95 latency, ms"),
      ...estimateBand(curve).slice(0, 2),
      ...pointMarks(points, "p95Ms"),
    ],
  };
}

function pointMarks(points: readonly CapacityPoint[], y: "achievedPerSecond" | "p95Ms") {
  const known = points.filter((point) => point[y] !== null);
  const of = (outcome: CapacityPoint["outcome"]) =>
    known.filter((each) => each.outcome === outcome);
  const place = { x: "offeredPerSecond", y, r: 5 } as const;
  return [
    Plot.dot(of("pass"), { ...place, symbol: "circle", fill: "var(--first)" }),
    Plot.dot(of("fail"), { ...place, symbol: "times", stroke: "var(--bad)", strokeWidth: 2 }),
    Plot.dot(of("withdrawn"), { ...place, symbol: "diamond2", stroke: "var(--soft)" }),
  ];
}
