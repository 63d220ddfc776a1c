/** The limits of keys: what was sent, admitted and refused, against what the plan allows. */

import * as Plot from "@observablehq/plot";
import type { RateSeries, RequestSteps } from "../../../contract/run/series.ts";
import type { Figure, Section, Table } from "../figure.ts";
import type { EndLabel } from "../labels.ts";
import { endLabels } from "../labels.ts";
import type { Drawing, Frame, Layout } from "../plot.ts";
import { drawn } from "../plot.ts";

/** Ours: rows that a reader still compares by eye; report.json has every step. */
const TABLE_ROWS_MAX = 24;

/** Ours: pixels of the second picture, what its line keeps away from the edges, names of lines. */
const EXCESS_HEIGHT = 150;
const EXCESS_ROOM = 0.08;
/** Ours: until the first burst is answered all of it is missing, which would fill it. */
const SETTLING_SHARE = 0.15;
const LABELS_WIDTH = 70;

const SHOWS = ["rate.limited", "rate.sustained", "rate.burst", "rate.within-plan"];

interface Stair {
  seconds: number;
  sent: number;
  admitted: number;
  refused: number;
  failed: number;
}

/** One figure a key that was overloaded. */
export function rateSection(series: readonly RateSeries[], { idPrefix }: Layout): Section {
  const id = `${idPrefix}rate`;
  const figures = series.flatMap((each, at) =>
    each.drain === null ? [] : [staircase(each, each.drain, `${id}-${at + 1}`)],
  );
  return {
    id,
    title: "Rate limits",
    about:
      "Each key rested, then sent more requests at once than its burst, then a rate well above " +
      "its plan. Admitted requests should follow the green line; the lower chart enlarges the " +
      "difference. Above the green area, too many were admitted.",
    figures,
  };
}

function staircase(series: RateSeries, drain: RequestSteps, id: string): Figure {
  const { key, plan, declared } = series;
  const stairs = stairsOf(drain);
  const total = stairs.at(-1);
  const text =
    `${total?.sent ?? 0} requests in ${(total?.seconds ?? 0).toFixed(1)} s: ` +
    `${total?.admitted ?? 0} admitted, ${total?.refused ?? 0} refused` +
    `${total?.failed ? `, ${total.failed} failed` : ""}. ` +
    `The plan allows ${declared.burst} at once and ${declared.sustained} a second.`;
  const label = `Requests of key ${key} over time. ${text}`;
  return {
    id,
    title: `${key} (${plan})`,
    caption: text,
    size: "half",
    plots: [
      drawn("half", label, (frame) => stairPlot(series, stairs, frame)),
      drawn("half", `Admitted beyond the plan. ${text}`, () => excessPlot(series, stairs)),
    ],
    legend: [{ sample: "plan", text: "what the plan allows, with tolerance" }],
    table: stairTable(series, stairs),
    shows: SHOWS,
    subject: key,
  };
}

function stairsOf(steps: RequestSteps): Stair[] {
  const sum = { sent: 0, admitted: 0, refused: 0, failed: 0 };
  const stairs: Stair[] = [{ seconds: 0, ...sum }];
  steps.sent.forEach((sent, at) => {
    sum.sent += sent;
    sum.admitted += steps.admitted[at] ?? 0;
    sum.refused += steps.refused[at] ?? 0;
    sum.failed += steps.failed[at] ?? 0;
    stairs.push({ seconds: ((at + 1) * steps.stepMs) / 1_000, ...sum });
  });
  return stairs;
}

function allowed({ declared, tolerated }: RateSeries, seconds: number) {
  return {
    declared: declared.burst + declared.sustained * seconds,
    tolerated: tolerated.burst + tolerated.sustained * seconds,
  };
}

function stairPlot(series: RateSeries, stairs: readonly Stair[], frame: Frame): Drawing {
  const endSeconds = stairs.at(-1)?.seconds ?? 1;
  const envelope = [0, endSeconds].map((seconds) => ({ seconds, ...allowed(series, seconds) }));
  const last = stairs.at(-1);
  const hasFailed = (last?.failed ?? 0) > 0;
  const top = Math.max(last?.sent ?? 1, envelope.at(-1)?.tolerated ?? 1) * 1.04;
  const labels: EndLabel[] = [
    { at: last?.sent ?? 0, text: "sent", color: "var(--soft)" },
    { at: last?.admitted ?? 0, text: "admitted", color: "var(--first)" },
    { at: last?.refused ?? 0, text: "refused", color: "var(--second)" },
    { at: envelope.at(-1)?.declared ?? 0, text: "plan", color: "var(--plan)" },
    ...(hasFailed ? [{ at: last?.failed ?? 0, text: "failed", color: "var(--bad)" }] : []),
  ];
  const line = (y: keyof Stair, stroke: string, more: Plot.LineYOptions) =>
    Plot.lineY(steps(stairs, y), { x: "seconds", y, stroke, curve: "step-after", ...more });
  const height = frame.isNarrow ? 260 : 280;
  return {
    height,
    marginRight: LABELS_WIDTH,
    marginBottom: 24,
    x: { label: null, domain: [0, endSeconds] },
    y: { label: "requests", grid: true, domain: [0, top] },
    marks: [
      Plot.areaY(envelope, {
        x: "seconds",
        y: "tolerated",
        fill: "var(--plan-ground)",
      }),
      Plot.lineY(envelope, { x: "seconds", y: "declared", stroke: "var(--plan)" }),
      line("sent", "var(--soft)", { strokeDasharray: "1,3", strokeWidth: 1.5 }),
      line("refused", "var(--second)", { strokeDasharray: "6,3" }),
      ...(hasFailed ? [line("failed", "var(--bad)", { strokeDasharray: "2,2" })] : []),
      line("admitted", "var(--first)", { strokeWidth: 2.5 }),
      Plot.ruleY([0]),
      endLabels(labels, endSeconds, { type: "linear", low: 0, high: top }, height),
    ],
  };
}

/** Where it rises, and the ends: the line is the same, and shorter to write. */
function steps(stairs: readonly Stair[], y: keyof Stair): Stair[] {
  const last = stairs.length - 1;
  return stairs.filter((stair, at) => at === last || stair[y] !== stairs[at - 1]?.[y]);
}

/** The same under a glass: how far the admitted are above or below what the plan allows. */
function excessPlot(series: RateSeries, stairs: readonly Stair[]): Drawing {
  const beyond = stairs.slice(1).map(({ seconds, admitted }) => {
    const { declared, tolerated } = allowed(series, seconds);
    return { seconds, excess: admitted - declared, tolerated: tolerated - declared };
  });
  const end = stairs.at(-1)?.seconds ?? 1;
  const settled = beyond.filter(({ seconds }) => seconds > end * SETTLING_SHARE);
  const low = Math.min(0, ...settled.map(({ excess }) => excess));
  const high = Math.max(1, ...beyond.flatMap(({ excess, tolerated }) => [excess, tolerated]));
  const room = (high - low) * EXCESS_ROOM;
  return {
    height: EXCESS_HEIGHT,
    marginRight: LABELS_WIDTH,
    x: { label: "seconds", domain: [0, end] },
    y: { label: "beyond plan", grid: true, domain: [low - room, high + room], ticks: 4 },
    marks: [
      Plot.areaY(beyond, {
        x: "seconds",
        y1: low - room,
        y2: "tolerated",
        fill: "var(--plan-ground)",
      }),
      Plot.ruleY([0], { stroke: "var(--plan)" }),
      Plot.lineY(beyond, {
        x: "seconds",
        y: "excess",
        stroke: "var(--first)",
        strokeWidth: 1.5,
        curve: "step-after",
        clip: true,
      }),
    ],
  };
}

function stairTable(series: RateSeries, stairs: readonly Stair[]): Table {
  const every = Math.max(1, Math.ceil(stairs.length / TABLE_ROWS_MAX));
  const shown = stairs.filter((_, at) => at % every === 0 || at === stairs.length - 1);
  return {
    head: ["seconds", "sent", "admitted", "refused", "failed", "plan allows"],
    rows: shown.map((stair) => [
      stair.seconds.toFixed(2),
      stair.sent,
      stair.admitted,
      stair.refused,
      stair.failed,
      Math.floor(allowed(series, stair.seconds).declared),
    ]),
    note: burstNote(series),
  };
}

function burstNote({ volleys: bursts, declared, below }: RateSeries): string {
  const counts = bursts.map(({ admitted }) => admitted).join(", ");
  const refused = (below?.refused ?? []).reduce((sum, count) => sum + count, 0);
  const steady = below === null ? "" : ` At an even rate below the plan ${refused} were refused.`;
  return `Bursts after a rest: ${counts} admitted, promised ${declared.burst}.${steady}`;
}
