/** What a board and its panels are, before they become Grafana's JSON. */

import type { BoardId } from "../rules/rule.ts";

/** In a link it stands for the address of the runbooks, which the operator sets. */
export const RUNBOOKS = "RUNBOOKS_URL";
/** Likewise for that of the probe's status page. */
export const STATUS = "STATUS_URL";

/** From a promise in a cell to the section of the interface that makes it; the probe serves it. */
export const PROMISE_LINK: Link = {
  title: "Section of the interface",
  url: `${STATUS}/promises/\${__value.raw}`,
};

/** A section of the interface in a description, which Grafana reads as Markdown. */
export function sectionLink(section: string): string {
  return `[§${section}](${STATUS}/interface#s${section})`;
}

export type PanelKind =
  | "timeseries"
  | "bars"
  | "stat"
  | "bargauge"
  | "table"
  | "heatmap"
  | "state-timeline";

/** Grafana's names of the units in use. */
export type Unit =
  | "s"
  | "bytes"
  | "short"
  | "none"
  | "percentunit"
  | "reqps"
  | "ops"
  | "dateTimeFromNow"
  | "currencyUSD";

export interface Query {
  expr: string;
  /** Name of each series; {{label}} is put in. */
  legend?: string;
}

export type Color = "green" | "yellow" | "orange" | "red" | "blue" | "gray" | "transparent";

/** Colours from a value on; the first one is for all below the second's value. */
export type Steps = readonly [Color, ...(readonly [number, Color])[]];

/** What a value or a text is shown as. */
export interface Shown {
  text: string;
  color?: Color;
}

export interface Link {
  title: string;
  url: string;
}

/** A column of a table: what it is called, and what its cells show and lead to. */
export interface Column {
  label: string;
  title: string;
  unit?: Unit;
  width?: number;
  shown?: Readonly<Record<string, Shown>>;
  links?: readonly Link[];
}

export interface Panel {
  kind: PanelKind;
  title: string;
  /** What it shows, and what to think of it. */
  description: string;
  unit: Unit;
  /** In 24ths of the screen; 1,366 pixels need 4 for a number, 8 for lines and tables. */
  width: 4 | 6 | 8 | 12 | 16 | 24;
  /** In rows of 30 pixels. */
  height: number;
  queries: readonly Query[];
  steps?: Steps;
  shown?: Readonly<Record<string, Shown>>;
  /** Where the axis begins; null: at the least value. */
  min?: number | null;
  max?: number;
  decimals?: number;
  stacked?: boolean;
  /** "log": lines of very different size, each with room of its own; 0 stays on the picture. */
  scale?: "log";
  /** Lowest resolution of the queries, such as "1m". */
  interval?: string;
  /** Shown where a query has no answer. */
  noValue?: string;
  columns?: readonly Column[];
  /** Colours of lines by their names, beside those that all panels have. */
  colors?: Readonly<Record<string, Color>>;
  /** The colour of all other lines, in shades: for a panel that shows nothing but errors. */
  shade?: Color;
  /** Steps of single values by their names, where they differ. */
  stepsOf?: Readonly<Record<string, Steps>>;
  /** Lines whose names match are dashed, such as limits. */
  dashed?: string;
}

export interface Row {
  title: string;
  panels: readonly Panel[];
}

export type VariableName =
  | "job"
  | "instance"
  | "service"
  | "environment"
  | "location"
  | "canary"
  | "worker"
  | "run"
  | "baseline"
  | "scenario";

export interface Board {
  id: BoardId;
  title: string;
  description: string;
  variables: readonly VariableName[];
  /** The time range that it opens with, such as "now-6h". */
  from: string;
  rows: readonly Row[];
}
