/** Asks a Prometheus what every panel of every board asks, and judges the answers by their units. */

import { BOARDS } from "../../../dashboards/boards/index.ts";
import type { Panel, Unit } from "../../../dashboards/boards/panel.ts";
import { SCRAPE_MS } from "./pace.ts";
import type { LivePrometheus } from "./prometheus.ts";

interface Series {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}

/** What Grafana shows at once, not over time. */
const OF_NOW: readonly Panel["kind"][] = ["stat", "bargauge", "table"];
/** Ours: points on a line, about as many as a narrow panel has. */
const POINTS = 200;
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
  for (const board of BOARDS) {
    for (const panel of board.rows.flatMap(({ panels }) => panels)) {
      for (const { expr } of panel.queries) {
        const fault = await faultOf(prometheus, panel, expr, fromMs);
        if (fault !== null) wrong.push(`${board.id}: ${panel.title}: ${fault}: ${expr}`);
      }
    }
  }
  return wrong;
}

async function faultOf(
  prometheus: LivePrometheus,
  panel: Panel,
  expr: string,
  fromMs: number,
): Promise<string | null> {
  const series = await answerTo(prometheus, panel, expr, fromMs);
  const values = series.flatMap(({ value, values: many = [] }) =>
    [...(value === undefined ? [] : [value]), ...many].map(([, text]) => Number(text)),
  );
  // A quantile of nothing is NaN, a ceiling that is not there +Inf: Grafana shows neither.
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return series.length === 0 ? "no data" : "no number among the data";
  const odd = finite.find((value) => !POSSIBLE[panel.unit](value));
  return odd === undefined ? null : `${odd} is no value in "${panel.unit}"`;
}

export async function answerTo(
  { get }: Pick<LivePrometheus, "get">,
  panel: Panel,
  expr: string,
  fromMs: number,
): Promise<readonly Series[]> {
  const nowMs = Date.now();
  const rangeSeconds = Math.ceil((nowMs - fromMs) / 1_000);
  const stepSeconds = Math.max(1, Math.ceil(rangeSeconds / POINTS));
  const query = encodeURIComponent(filledIn(expr, rangeSeconds, stepSeconds));
  const path = OF_NOW.includes(panel.kind)
    ? `/api/v1/query?query=${query}`
    : `/api/v1/query_range?query=${query}&start=${fromMs / 1_000}&end=${nowMs / 1_000}&step=${stepSeconds}`;
  return (await get<{ result: Series[] }>(path)).result;
}

/** All variables at "all", as the boards open, and Grafana's own. */
function filledIn(expr: string, rangeSeconds: number, stepSeconds: number): string {
  const rate = Math.max(4 * (SCRAPE_MS / 1_000), stepSeconds + SCRAPE_MS / 1_000);
  return expr
    .replaceAll("$__rate_interval", `${Math.round(rate * 1_000)}ms`)
    .replaceAll("$__range", `${rangeSeconds}s`)
    .replaceAll("$__interval", `${stepSeconds}s`)
    .replaceAll("$environment", ".*")
    .replaceAll(/\$(job|instance|location|canary|worker|run|baseline|scenario)\b/g, ".+");
}
