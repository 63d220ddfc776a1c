/** Makes panels of each kind; what most panels of a kind have is told here once. */

import type { Panel, PanelKind, Query, Row } from "./panel.ts";

type Look = Omit<Panel, "kind" | "title" | "description" | "queries">;
/** Queries by the names of their series, in which {{label}} is put in; or one without a name. */
type Queries = string | readonly Query[] | Readonly<Record<string, string>>;

const LOOKS: Readonly<Record<PanelKind, Look>> = {
  stat: { unit: "none", width: 4, height: 4 },
  bars: { unit: "short", width: 12, height: 8, stacked: true, min: 0, interval: "1m" },
  timeseries: { unit: "s", width: 12, height: 8, min: 0 },
  heatmap: { unit: "s", width: 12, height: 8, interval: "1m" },
  bargauge: { unit: "none", width: 8, height: 5, min: 0 },
  table: { unit: "none", width: 12, height: 8 },
  "state-timeline": { unit: "none", width: 24, height: 7, interval: "1m" },
};

const maker =
  (kind: PanelKind) =>
  (title: string, description: string, queries: Queries, look: Partial<Look> = {}): Panel => ({
    kind,
    title,
    description,
    queries: queriesOf(queries),
    ...LOOKS[kind],
    ...look,
  });

export const stat = maker("stat");
export const bars = maker("bars");
export const lines = maker("timeseries");
export const heatmap = maker("heatmap");
export const gauges = maker("bargauge");
export const table = maker("table");
export const timeline = maker("state-timeline");

export function row(title: string, panels: readonly Panel[]): Row {
  return { title, panels };
}

function queriesOf(queries: Queries): readonly Query[] {
  if (typeof queries === "string") return [{ expr: queries }];
  if (isList(queries)) return queries;
  return Object.entries(queries).map(([legend, expr]) => ({ expr, legend }));
}

function isList(queries: Exclude<Queries, string>): queries is readonly Query[] {
  return Array.isArray(queries);
}
