/** The retry schedule of webhooks: when each attempt came, against what is promised. */

import * as Plot from "@observablehq/plot";
import { countText } from "../../../contract/numbers/figures.ts";
import type { WebhookJobSeries, WebhookSeries } from "../../../contract/run/series.ts";
import type { Figure, Section, Table } from "../figure.ts";
import type { Drawing, Frame, Layout, PlotSize } from "../plot.ts";
import { drawn } from "../plot.ts";

const SHOWS = [
  "webhook.wait-1",
  "webhook.wait-2",
  "webhook.wait-3",
  "webhook.retried",
  "webhook.gives-up",
  "webhook.once",
  "webhook.answer-time",
  "webhook.recovers",
];

/** Ours: pixels of a row, and what the axis and its name take. */
const ROW_HEIGHT = 19;
const AXIS_HEIGHT = 66;
/** Ours: the axis ends a little after the last attempt. */
const END_SHARE = 1.06;

/** Kinds of cases by what the job's receiver does. */
const RECEIVERS: Readonly<Record<string, string>> = {
  first: "accepts",
  ladder: "always fails",
  "not-found": "404 once",
  reset: "reset once",
  silent: "silent once",
  refused: "refused first",
  "in-time": "slow, in time",
  "too-late": "slow, too late",
  recovery: "recovers",
};

type Standing = "in time" | "early" | "late" | "unasked" | "untimed" | "first";

/** Times in seconds of the service, after the first delivery. */
interface Attempt {
  row: string;
  number: number;
  at: number;
  waited: number | null;
  answer: string;
  /** Shape of its mark. */
  kind: "accepted" | "failed" | "no answer";
  standing: Standing;
}

interface Retry {
  row: string;
  from: number;
  to: number;
  /** Whether an attempt came at all. */
  met: boolean;
}

interface Row {
  name: string;
  watchedUntil: number;
  attempts: Attempt[];
  retries: Retry[];
}

export function webhookSection(
  series: readonly WebhookSeries[],
  { idPrefix, size }: Layout,
): Section {
  const id = `${idPrefix}webhook`;
  return {
    id,
    title: "Webhooks",
    about:
      "Each row is a job; its label says how the receiver answers. Each retry should arrive " +
      "within its green interval: the promised wait after the failed attempt before it. " +
      "One outside it breaks no promise where this machine may have been as late itself.",
    figures: series.flatMap((each, at) => {
      const rows = rowsOf(each);
      return rows.length === 0 ? [] : [scheduleFigure(each, rows, `${id}-${at + 1}`, size)];
    }),
  };
}

/** Jobs that were delivered once as they should say nothing in a picture. */
function rowsOf(series: WebhookSeries): Row[] {
  return series.jobs.flatMap((job, at) => {
    const number = series.jobs.slice(0, at + 1).filter(({ kind }) => kind === job.kind).length;
    const row = rowOf(series, job, `${RECEIVERS[job.kind] ?? job.kind} ${number}`);
    return row.attempts.length > 1 || row.retries.length > 0 ? [row] : [];
  });
}

function rowOf(series: WebhookSeries, job: WebhookJobSeries, name: string): Row {
  const seconds = (ms: number) => ms / 1_000;
  const retries: Retry[] = [];
  const attempts = job.attempts.map(({ atMs, answer }, at): Attempt => {
    const before = job.attempts[at - 1];
    const bounds = boundsAfter(series, job, at - 1);
    if (bounds !== null) {
      retries.push({
        row: name,
        from: seconds(bounds.fromMs),
        to: seconds(bounds.toMs),
        met: true,
      });
    }
    return {
      row: name,
      number: at + 1,
      at: seconds(atMs),
      waited: before === undefined ? null : seconds(atMs - before.atMs),
      answer,
      kind: kindOf(answer),
      standing: standingOf(atMs, before?.answer ?? null, bounds),
    };
  });
  const due = boundsAfter(series, job, job.attempts.length - 1);
  if (due !== null && !mayBeAccepted(job) && due.toMs < job.watchedUntilMs) {
    retries.push({ row: name, from: seconds(due.fromMs), to: seconds(due.toMs), met: false });
  }
  return { name, watchedUntil: seconds(job.watchedUntilMs), attempts, retries };
}

/** When the attempt after this one is due; null where none is. */
function boundsAfter(
  { rungs: retries, answerLimitMs }: WebhookSeries,
  job: WebhookJobSeries,
  at: number,
) {
  const [failed, retry] = [job.attempts[at], retries[at]];
  if (failed === undefined || retry === undefined || isAccepted(failed.answer)) return null;
  const endMs = failed.answeredAtMs ?? failed.atMs;
  const latestEndMs = isPrompt(failed.answer) ? endMs : failed.atMs + answerLimitMs;
  return { fromMs: failed.atMs + retry.earliestMs, toMs: latestEndMs + retry.latestMs };
}

/** At once; its body may come slowly. */
function isAccepted(answer: string): boolean {
  return /^200(?:~\d+)?$/.test(answer);
}

function isPrompt(answer: string): boolean {
  return /^\d+$/.test(answer);
}

/** An answer 200 that came slowly: whether it counts shows in that nothing follows. */
function mayBeAccepted({ attempts }: WebhookJobSeries): boolean {
  return attempts.at(-1)?.answer.startsWith("200@") ?? false;
}

function kindOf(answer: string): Attempt["kind"] {
  if (isAccepted(answer)) return "accepted";
  return /^\d+(?:~\d+)?$/.test(answer) ? "failed" : "no answer";
}

function standingOf(
  atMs: number,
  answerBefore: string | null,
  bounds: { fromMs: number; toMs: number } | null,
): Standing {
  if (answerBefore === null) return "first";
  if (bounds === null) return "unasked";
  if (!isPrompt(answerBefore)) return "untimed";
  if (atMs < bounds.fromMs) return "early";
  return atMs > bounds.toMs ? "late" : "in time";
}

function isOff({ standing }: Attempt): boolean {
  return standing === "early" || standing === "late" || standing === "unasked";
}

function scheduleFigure(
  series: WebhookSeries,
  rows: readonly Row[],
  id: string,
  size: PlotSize,
): Figure {
  const attempts = rows.flatMap((row) => row.attempts);
  const missing = rows.flatMap((row) => row.retries).filter(({ met }) => !met).length;
  const retries = attempts.filter(({ waited }) => waited !== null);
  const off = retries.filter(isOff).length;
  const caption =
    `${countText(retries.length, "retry", "retries")} of ${countText(rows.length, "job")}: ` +
    `${off} outside their interval, ` +
    `${missing} that never came.`;
  return {
    id,
    title: "Retry schedule",
    caption,
    size,
    plots: [
      drawn(size, `Timeline of webhook attempts. ${caption}`, (frame) =>
        schedulePlot(series, rows, frame),
      ),
    ],
    legend: [
      { sample: "plan", text: "promised interval, with tolerance" },
      { sample: "symbol failed", text: "answered with a failure" },
      { sample: "symbol slow", text: "answered late, reset or not at all" },
      { sample: "symbol accepted", text: "answered 200" },
      { sample: "symbol off", text: "outside its interval, or missing" },
    ],
    table: scheduleTable(series, attempts),
    shows: SHOWS,
  };
}

function schedulePlot(series: WebhookSeries, rows: readonly Row[], frame: Frame): Drawing {
  const attempts = rows.flatMap((row) => row.attempts);
  const retries = rows.flatMap((row) => row.retries);
  const ends = [...attempts.map(({ at }) => at), ...retries.map(({ to }) => to)];
  const end = Math.max(1, ...ends) * END_SHARE;
  const marks = (kind: Attempt["kind"]) => attempts.filter((each) => each.kind === kind);
  const place = { x: "at", y: "row" } as const;
  return {
    height: rows.length * ROW_HEIGHT + AXIS_HEIGHT,
    marginLeft: 104,
    x: {
      type: "sqrt",
      domain: [0, end],
      label: "seconds after the first attempt (square-root axis)",
      ticks: ticksOf(series, end, frame),
      tickFormat: (value: number) => `${Math.round(value * 100) / 100}`,
      grid: true,
    },
    y: { domain: rows.map(({ name }) => name), label: null, tickSize: 0 },
    marks: [
      Plot.ruleY(rows, {
        y: "name",
        x1: 0,
        x2: ({ watchedUntil }: Row) => Math.min(end, watchedUntil),
        stroke: "var(--line)",
      }),
      Plot.barX(retries, {
        x1: "from",
        x2: "to",
        y: "row",
        fill: "var(--plan-ground)",
        stroke: "var(--plan)",
        strokeWidth: 1,
        insetTop: 1.5,
        insetBottom: 1.5,
        rx: 2,
      }),
      Plot.dot(marks("failed"), { ...place, symbol: "times", stroke: "var(--ink)", r: 4 }),
      Plot.dot(marks("no answer"), { ...place, symbol: "diamond2", stroke: "var(--ink)", r: 4 }),
      Plot.dot(marks("accepted"), { ...place, symbol: "circle", fill: "var(--first)", r: 4 }),
      Plot.dot(attempts.filter(isOff), { ...place, stroke: "var(--bad)", strokeWidth: 2, r: 8 }),
      Plot.dot(
        retries.filter(({ met }) => !met),
        { x: "to", y: "row", stroke: "var(--bad)", strokeWidth: 2, strokeDasharray: "3,2", r: 8 },
      ),
    ],
  };
}

/** The promised moments of a prompt failure, and the beginning. */
function ticksOf(
  { rungs: retries, timeScale }: WebhookSeries,
  end: number,
  frame: Frame,
): number[] {
  const ticks = [0];
  for (const { waitMs } of retries) ticks.push((ticks.at(-1) ?? 0) + waitMs / 1_000);
  const between = frame.isNarrow ? [] : [15, 100, 200, 500].map((at) => at * timeScale);
  return [...ticks, ...between].filter((tick) => tick <= end);
}

function scheduleTable(series: WebhookSeries, attempts: readonly Attempt[]): Table {
  const more = series.omitted === 0 ? {} : { note: `${series.omitted} more jobs are not listed.` };
  return {
    head: ["job", "attempt", "at, s", "waited, s", "answered", "standing"],
    rows: attempts.map(({ row, number, at, waited, answer, standing }) => [
      row,
      number,
      at.toFixed(2),
      waited?.toFixed(2) ?? null,
      answer,
      standing,
    ]),
    ...more,
  };
}
