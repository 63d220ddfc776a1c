/** Asks a Prometheus what every panel asks, and judges the answers by their units. */

import { setTimeout as pause } from "node:timers/promises";
import { boardsOf } from "../../../dashboards/boards/index.ts";
import type { Panel, Unit } from "../../../dashboards/boards/panel.ts";
import { answerTo } from "../preview/ask.ts";
import { LIVE_RULES, SCRAPE_MS } from "./pace.ts";
import type { LivePrometheus } from "./prometheus.ts";

/** Ours: an age of more than a day is no age of this test's. */
const DAY_MS = 86_400_000;

/** A value that a unit can't mean is another quantity: a per cent for a share, ms for s. */
const POSSIBLE: Readonly<Record<Unit, (value: number) => boolean>> = {
  // A budget that is overspent is below 0, a process on two cores above 1.
  percentunit: (value) => value <= 3,
  // Two clocks of one machine are a second apart at most.
  s: (value) => value >= -1 && value < 3_600,
  bytes: (value) => value >= 0 && value < 10e9,
  reqps: (value) => value >= 0 && value < 1_000,
  ops: (value) => value >= 0 && value < 1_000,
  short: (value) => value >= 0,
  none: (value) => value >= -1 && value < 10_000,
  currencyUSD: (value) => value >= 0 && value < 1_000,
  dateTimeFromNow: (value) => Math.abs(value - Date.now()) < DAY_MS,
};

/** What is wrong with each panel, in sentences; none where all have data that makes sense. */
export async function faultyPanels(
  prometheus: LivePrometheus,
  fromMs: number,
): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const board of boardsOf(LIVE_RULES)) {
    for (const panel of board.rows.flatMap(({ panels }) => panels)) {
      for (const { expr } of panel.queries) {
        const fault = await lastingFault(() => faultOf(prometheus, panel, expr, fromMs));
        if (fault !== null) wrong.push(`${board.id}: ${panel.title}: ${fault}: ${expr}`);
      }
    }
  }
  return wrong;
}

/** Ours: a busy Prometheus may be an evaluation or two behind. */
const TRIES = 4;

async function lastingFault(look: () => Promise<string | null>): Promise<string | null> {
  let fault = await look();
  for (let tries = 1; fault !== null && tries < TRIES; tries += 1) {
    await pause(SCRAPE_MS);
    fault = await look();
  }
  return fault;
}

async function faultOf(
  prometheus: LivePrometheus,
  panel: Panel,
  expr: string,
  fromMs: number,
): Promise<string | null> {
  const asked = { get: prometheus.get, fromMs, toMs: Date.now(), scrapeSeconds: SCRAPE_MS / 1_000 };
  const series = await answerTo(asked, panel, expr);
  const values = series.flatMap(({ value, values: many = [] }) =>
    [...(value === undefined ? [] : [value]), ...many].map(([, text]) => Number(text)),
  );
  // A quantile of nothing is NaN, a ceiling that is not there +Inf: Grafana shows neither.
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return series.length === 0 ? "no data" : "no number among the data";
  const unit = panel.columns?.find(({ label }) => label === "Value")?.unit ?? panel.unit;
  const odd = finite.find((value) => !POSSIBLE[unit](value));
  return odd === undefined ? null : `${odd} is no value in "${unit}"`;
}
