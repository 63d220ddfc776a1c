/** A whole board: frame, rows on a grid of 24 columns, and panels. */

import * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import type { Board, Column, Link, Panel } from "../boards/panel.ts";
import { RUNBOOKS, STATUS } from "../boards/panel.ts";
import type { RuleOptions } from "../rules/options.ts";
import { boardUid, LOCATION } from "../rules/rule.ts";
import { annotationsOf } from "./annotations.ts";
import { DATASOURCE, panelOf } from "./panels.ts";
import { variablesOf } from "./variables.ts";

/** By it the boards find each other. */
const TAG = "plumbline";
const COLUMNS = 24;

/** As Grafana's JSON, schema version 1, which file provisioning reads since Grafana 10. */
export function boardJson(board: Board, { runbooksUrl, statusUrl }: RuleOptions): string {
  const text = JSON.stringify(buildBoard(withLiveLinks(board, statusUrl)), null, 2);
  const linked = text
    .replaceAll(RUNBOOKS, atLocation(runbooksUrl))
    .replaceAll(STATUS, atLocation(statusUrl));
  return `${linked}\n`;
}

/** Where each location has a page of its own, a board that knows no location can't lead to one. */
function withLiveLinks(board: Board, statusUrl: string): Board {
  if (board.variables.includes("location") || !statusUrl.includes(LOCATION)) return board;
  const isLive = ({ url }: Link) => !url.includes(STATUS);
  const live = ({ links, ...column }: Column): Column => {
    const left = links?.filter(isLive) ?? [];
    return left.length === 0 ? column : { ...column, links: left };
  };
  const withLive = ({ columns, ...panel }: Panel): Panel =>
    columns === undefined ? panel : { ...panel, columns: columns.map(live) };
  const rows = board.rows.map(({ title, panels }) => ({ title, panels: panels.map(withLive) }));
  return { ...board, rows };
}

/** The location that is chosen on the board. */
function atLocation(url: string): string {
  return url.replaceAll(LOCATION, `\${location}`);
}

function buildBoard(board: Board): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(board.title)
    .uid(boardUid(board.id))
    .description(board.description)
    .tags([TAG])
    .readonly()
    .timezone("browser")
    .refresh("30s")
    .time({ from: board.from, to: "now" })
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .link(dropdown())
    .variables(variablesOf(board.variables))
    .annotations(annotationsOf(board.variables.includes("location")));
  if (board.variables.includes("location")) builder.link(statusPage());
  addRows(builder, board);
  return builder.build();
}

/** Keeps what is being looked at while the board changes. */
function dropdown() {
  return new dashboard.DashboardLinkBuilder("Plumbline")
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags([TAG])
    .asDropdown(true)
    .includeVars(true)
    .keepTime(true);
}

/** What the probe itself says: problems by cause, the last runs and their jobs. */
function statusPage() {
  return new dashboard.DashboardLinkBuilder("Status page")
    .type(dashboard.DashboardLinkType.Link)
    .url(STATUS)
    .icon("external link")
    .targetBlank(true);
}

function addRows(builder: dashboard.DashboardBuilder, board: Board): void {
  let [id, y] = [1, 0];
  for (const { title, panels } of board.rows) {
    const gridPos = { x: 0, y, w: COLUMNS, h: 1 };
    builder.withRow(new dashboard.RowBuilder(title).id(id).datasource(DATASOURCE).gridPos(gridPos));
    id += 1;
    y += 1;
    const { places, bottom } = placesOf(panels, y);
    for (const { panel, gridPos: place } of places) {
      builder.withPanel(panelOf(panel, id, place));
      id += 1;
    }
    y = bottom;
  }
}

/** From left to right, a new line when the panel has no room; a line is as high as its highest. */
function placesOf(panels: readonly Panel[], top: number) {
  let [x, y, lineHeight] = [0, top, 0];
  const places = panels.map((panel) => {
    if (x + panel.width > COLUMNS) [x, y, lineHeight] = [0, y + lineHeight, 0];
    const gridPos = { x, y, w: panel.width, h: panel.height };
    x += panel.width;
    lineHeight = Math.max(lineHeight, panel.height);
    return { panel, gridPos };
  });
  return { places, bottom: y + lineHeight };
}
