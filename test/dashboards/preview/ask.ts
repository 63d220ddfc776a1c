/** Asks a Prometheus what a panel asks, with all variables at "all", as boards open. */

import type { Panel } from "../../../dashboards/boards/panel.ts";

export interface Series {
  metric: Record<string, string>;
  value?: [number, string];
  values?: [number, string][];
}

export interface Asked {
  /** The member `data` of an answer of Prometheus' API. */
  get<Data>(pathAndQuery: string): Promise<Data>;
  fromMs: number;
  toMs: number;
  /** Interval of the scrapes, in seconds. */
  scrapeSeconds: number;
}

/** What Grafana shows at once, not over time. */
const OF_NOW: readonly Panel["kind"][] = ["stat", "bargauge", "table"];
/** Ours: points on a line, about as many as a narrow panel has. */
const POINTS = 150;

export async function answerTo(
  asked: Asked,
  panel: Pick<Panel, "kind">,
  expr: string,
): Promise<readonly Series[]> {
  const { get, fromMs, toMs } = asked;
  const stepSeconds = Math.max(1, Math.ceil((toMs - fromMs) / 1_000 / POINTS));
  const query = encodeURIComponent(filledIn(expr, asked, stepSeconds));
  const range = `start=${fromMs / 1_000}&end=${toMs / 1_000}&step=${stepSeconds}`;
  const path = OF_NOW.includes(panel.kind)
    ? `/api/v1/query?query=${query}&time=${toMs / 1_000}`
    : `/api/v1/query_range?query=${query}&${range}`;
  return (await get<{ result: Series[] }>(path)).result;
}

/** As Grafana fills them in: a rate looks back over four scrapes at least. */
function filledIn(expr: string, { fromMs, toMs, scrapeSeconds }: Asked, stepSeconds: number) {
  const rateSeconds = Math.max(4 * scrapeSeconds, stepSeconds + scrapeSeconds);
  return expr
    .replaceAll("$__rate_interval", `${Math.round(rateSeconds * 1_000)}ms`)
    .replaceAll("$__range", `${Math.ceil((toMs - fromMs) / 1_000)}s`)
    .replaceAll("$__interval", `${stepSeconds}s`)
    .replaceAll(/\$(service|environment)\b/g, ".*")
    .replaceAll(/\$(job|instance|location|canary|worker|run|baseline|scenario)\b/g, ".+");
}
