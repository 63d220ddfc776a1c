/**
 * The rules of grafana/dashboard-linter 0.2, by its names, in our words; its rules of LogQL are
 * left out, as no board has any. It can't be built from Go's module proxy everywhere.
 */

import type { GrafanaBoard, GrafanaPanel } from "./board-lint.ts";
import type { Selector } from "./promql.ts";
import { readQuery } from "./promql.ts";

export interface Finding {
  rule: string;
  /** The board's title. */
  dashboard: string;
  /** The panel's title; null where it is about the board. */
  panel: string | null;
}

const DATASOURCES = ["$datasource", `\${datasource}`];
/** Types of panels whose frame it looks at, and those whose queries it reads. */
const FRAMED = ["stat", "singlestat", "graph", "table", "timeseries", "gauge"];
const QUERIED = ["stat", "singlestat", "gauge", "table", "state-timeline", "timeseries"];
const GRAPHS = ["singlestat", "graph", "table", "timeseries"];
/** Those of Grafana's units that our boards may have. */
const UNITS = ["none", "short", "percentunit", "s", "reqps", "bytes", "dateTimeFromNow"];
const FUNCTIONS = ["label_names", "label_values", "metrics", "query_result"];

type Query = GrafanaBoard["templating"]["list"][number];

const OF_BOARDS: Readonly<Record<string, (board: GrafanaBoard) => boolean>> = {
  "template-datasource-rule": ({ templating }) =>
    templating.list.some(
      ({ type, name, label }) =>
        type === "datasource" && name === "datasource" && label === "Data source",
    ),
  "template-job-rule": (board) => hasVariable(board, "job", "Job"),
  "template-instance-rule": (board) => hasVariable(board, "instance", "Instance"),
  "template-label-promql-rule": (board) =>
    queriesOf(board).every((each) => {
      const [, name = "", argument = ""] = /([a-z_]+)\((.+)\)/.exec(textOf(each)) ?? [];
      const [selector = ""] = argument.split(/, \w+$/);
      return FUNCTIONS.includes(name) && readQuery(selector).errors.length === 0;
    }),
  "template-on-time-change-reload-rule": (board) =>
    queriesOf(board).every(({ refresh }) => refresh === 2),
  "uneditable-dashboard": ({ editable }) => !editable,
};

const OF_PANELS: Readonly<Record<string, (panel: GrafanaPanel) => boolean>> = {
  "panel-datasource-rule": ({ type, datasource }) =>
    !GRAPHS.includes(type) || DATASOURCES.includes(datasource?.uid ?? ""),
  "panel-title-description-rule": ({ type, title, description }) =>
    !FRAMED.includes(type) || Boolean(title && description),
  "panel-units-rule": ({ type, fieldConfig }) =>
    !FRAMED.includes(type) || UNITS.includes(fieldConfig?.defaults?.unit ?? ""),
  "panel-no-targets-rule": ({ type, targets }) =>
    !FRAMED.includes(type) || (targets ?? []).length > 0,
};

const OF_QUERIES: Readonly<Record<string, (query: string, type: string) => boolean>> = {
  "target-promql-rule": (query, type) =>
    !QUERIED.includes(type) || (query !== "" && readQuery(query).errors.length === 0),
  "target-rate-interval-rule": (query, type) =>
    !QUERIED.includes(type) ||
    readQuery(query).selectors.every(
      ({ range, within: [innermost = ""] }) =>
        range === null || range === "$__rate_interval" || !["rate", "irate"].includes(innermost),
    ),
  "target-job-rule": (query) => readQuery(query).selectors.every(isNarrowedBy("job")),
  "target-instance-rule": (query) => readQuery(query).selectors.every(isNarrowedBy("instance")),
  // The linter itself misses counters with matchers, as it reads their names with them.
  "target-counter-agg-rule": (query) =>
    readQuery(query).selectors.every(
      ({ metric, range, within: [innermost = ""] }) =>
        !metric.endsWith("_total") ||
        (range !== null && ["rate", "irate", "increase"].includes(innermost)),
    ),
};

export const LINTER_RULES = [OF_BOARDS, OF_PANELS, OF_QUERIES].flatMap(Object.keys);

export function linterFindings(board: GrafanaBoard): Finding[] {
  const dashboard = board.title;
  const ofBoard = Object.entries(OF_BOARDS)
    .filter(([, holds]) => !holds(board))
    .map(([rule]) => ({ rule, dashboard, panel: null }));
  const ofPanels = board.panels.flatMap((panel) =>
    rulesBroken(panel).map((rule) => ({ rule, dashboard, panel: panel.title ?? "" })),
  );
  return [...ofBoard, ...ofPanels];
}

function rulesBroken(panel: GrafanaPanel): string[] {
  const { type, targets = [] } = panel;
  const ofPanel = Object.entries(OF_PANELS).filter(([, holds]) => !holds(panel));
  const ofQueries = Object.entries(OF_QUERIES).filter(
    ([, holds]) => !targets.every(({ expr = "" }) => holds(expr, type)),
  );
  return [...ofPanel, ...ofQueries].map(([rule]) => rule);
}

function queriesOf({ templating }: GrafanaBoard): Query[] {
  return templating.list.filter(({ type }) => type === "query");
}

function textOf({ query }: Query): string {
  return String((query as { query?: string }).query);
}

function hasVariable(board: GrafanaBoard, wanted: string, title: string): boolean {
  const found = queriesOf(board).find(({ name }) => name === wanted);
  if (found === undefined) return false;
  const { label, multi, allValue, datasource } = found;
  const isOurs = DATASOURCES.includes(datasource?.uid ?? "");
  return isOurs && label === title && multi === true && allValue === ".+";
}

function isNarrowedBy(wanted: string): (selector: Selector) => boolean {
  return ({ matchers }) =>
    matchers.some(
      ({ label, operator, value }) =>
        label === wanted && operator === "=~" && value === `$${wanted}`,
    );
}
