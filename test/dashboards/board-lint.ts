/** What may be wrong with a generated board, as grafana/dashboard-linter sees it, and some more. */

import { lintBoardQuery, lintQuery } from "./query-lint.ts";

interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface Target {
  refId: string;
  expr?: string;
  legendFormat?: string;
  datasource?: { uid?: string };
}

interface Override {
  matcher: { id: string; options: string };
  properties: readonly { id: string; value: unknown }[];
}

export interface GrafanaPanel {
  id: number;
  type: string;
  title?: string;
  description?: string;
  gridPos: Place;
  datasource?: { uid?: string };
  targets?: readonly Target[];
  fieldConfig?: { defaults?: { unit?: string }; overrides?: readonly Override[] };
}

interface GrafanaVariable {
  name: string;
  type: string;
  label?: string;
  query?: unknown;
  datasource?: { uid?: string };
  refresh?: number;
  multi?: boolean;
  includeAll?: boolean;
  allValue?: string;
}

export interface GrafanaBoard {
  uid: string;
  title: string;
  description?: string;
  editable: boolean;
  tags: readonly string[];
  panels: readonly GrafanaPanel[];
  templating: { list: readonly GrafanaVariable[] };
  annotations: { list: readonly { name: string; expr?: string; datasource?: { uid?: string } }[] };
  links: readonly { asDropdown: boolean; includeVars: boolean; keepTime: boolean }[];
}

const DATASOURCE = "$datasource";
const COLUMNS = 24;
/** A number needs 220 pixels of a screen of 1,366. */
const WIDTH_MIN = 4;

export function lintBoard(board: GrafanaBoard): string[] {
  const panels = board.panels.filter(({ type }) => type !== "row");
  return [
    ...lintFrame(board),
    ...board.templating.list.flatMap(lintVariable),
    ...board.annotations.list.flatMap(({ name, expr = "", datasource }) => [
      ...lintQuery(expr).map((problem) => `annotation ${name}: ${problem}`),
      ...(datasource?.uid === DATASOURCE ? [] : [`annotation ${name}: hard-wired data source`]),
    ]),
    ...panels.flatMap(lintPanel),
    ...lintGrid(board.panels),
    ...lintRows(board.panels),
  ];
}

function lintFrame(board: GrafanaBoard): string[] {
  const names = board.templating.list.map(({ name }) => name);
  const needed = board.uid === "plumbline-load" ? ["run", "scenario"] : ["job", "instance"];
  const [link] = board.links;
  return [
    ...["datasource", ...needed]
      .filter((name) => !names.includes(name))
      .map((name) => `no $${name}`),
    ...(board.editable ? ["can be edited, and would lose it"] : []),
    ...(board.tags.includes("plumbline") ? [] : ["has not the tag"]),
    ...(board.description ? [] : ["has no description"]),
    ...(link?.asDropdown && link.includeVars && link.keepTime ? [] : ["has no dropdown"]),
    ...(board.annotations.list.length > 0 ? [] : ["has no annotations"]),
  ];
}

function lintVariable(variable: GrafanaVariable): string[] {
  const { name, type, label, query, datasource, refresh, multi, allValue } = variable;
  const about = (problem: string) => `$${name} ${problem}`;
  if (!label) return [about("has no label")];
  if (type === "datasource") return query === "prometheus" ? [] : [about("is no Prometheus")];
  const text = String((query as { query?: string }).query);
  const selector = /^label_values\((.+), (\w+)\)$/.exec(text)?.[1] ?? "";
  return [
    ...lintQuery(selector)
      .filter((problem) => !problem.includes("counts"))
      .map(about),
    ...(datasource?.uid === DATASOURCE ? [] : [about("has a hard-wired data source")]),
    ...(refresh === 2 ? [] : [about("does not follow the time range")]),
    ...(multi && !allValue ? [about("has no value for all")] : []),
  ];
}

function lintPanel(panel: GrafanaPanel): string[] {
  const { title, description, datasource, targets = [], fieldConfig, gridPos } = panel;
  const about = (problem: string) => `${title || panel.id}: ${problem}`;
  const problems = [
    ...(title ? [] : ["no title"]),
    ...(description ? [] : ["no description"]),
    ...(fieldConfig?.defaults?.unit ? [] : ["no unit"]),
    ...(datasource?.uid === DATASOURCE ? [] : ["hard-wired data source"]),
    ...(targets.length > 0 ? [] : ["no query"]),
    ...(gridPos.w < WIDTH_MIN ? ["too narrow"] : []),
    ...targets.flatMap(lintTarget),
  ];
  return problems.map(about);
}

function lintTarget({ expr = "", refId, datasource }: Target): string[] {
  return [
    ...(expr.trim() === "" ? ["empty query"] : []),
    ...(datasource?.uid === DATASOURCE ? [] : ["hard-wired data source"]),
    ...lintQuery(expr),
    ...lintBoardQuery(expr),
  ].map((problem) => `${refId}: ${problem}`);
}

function lintGrid(panels: readonly GrafanaPanel[]): string[] {
  const ids = panels.map(({ id }) => id);
  const doubled = ids.filter((id, at) => ids.indexOf(id) !== at);
  const outside = panels.filter(({ gridPos: { x, w } }) => x + w > COLUMNS);
  const pairs = panels.flatMap((one, at) =>
    panels.slice(at + 1).map((other) => [one, other] as const),
  );
  return [
    ...doubled.map((id) => `the id ${id} is used twice`),
    ...outside.map(({ title }) => `${title}: beyond the right edge`),
    ...pairs
      .filter(([one, other]) => overlap(one.gridPos, other.gridPos))
      .map(([one, other]) => `${one.title} and ${other.title} overlap`),
  ];
}

function overlap(one: Place, other: Place): boolean {
  const beside = one.x + one.w <= other.x || other.x + other.w <= one.x;
  const below = one.y + one.h <= other.y || other.y + other.h <= one.y;
  return !beside && !below;
}

/** A row is followed by a panel. */
function lintRows(panels: readonly GrafanaPanel[]): string[] {
  return panels
    .filter(({ type }, at) => type === "row" && (panels[at + 1]?.type ?? "row") === "row")
    .map(({ title }) => `the row ${title} is empty`);
}
