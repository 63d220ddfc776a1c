/** A board as a page: its panels on Grafana's grid, in its own sizes. */

import type { Board, Panel } from "../../../dashboards/boards/panel.ts";
import type { Answers } from "./draw.ts";
import { drawPanel, escaped } from "./draw.ts";

/** Grafana's grid: 24 columns, rows of 30 pixels, 8 between them, 16 at the edges. */
const COLUMNS = 24;
const ROW = 30;
const GAP = 8;
const EDGE = 16;
/** Of a panel's frame and title. */
const TITLE = 32;
const PADDING = 8;
/** Below it Grafana puts panels under each other, each as high as it was. */
const NARROW = 769;

export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Placed {
  panel: Panel;
  place: Place;
  answers: Answers;
}

export interface Shot {
  width: number;
  fromMs: number;
  toMs: number;
}

export function boardPage(
  board: Board,
  panels: readonly Placed[],
  rows: readonly { title: string; place: Place }[],
  shot: Shot,
): string {
  const top = shot.width < NARROW ? 124 : 76;
  const cell = (shot.width - 2 * EDGE + GAP) / COLUMNS;
  const placed = shot.width < NARROW ? stacked(panels, rows) : { panels, rows };
  const box = ({ x, y, w, h }: Place) => ({
    left: EDGE + x * cell,
    top: top + y * (ROW + GAP),
    width: w * cell - GAP,
    height: h * (ROW + GAP) - GAP,
  });
  const style = (place: Place) => {
    const { left, top, width, height } = box(place);
    return `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
  };
  const drawn = placed.panels.map(({ panel, place, answers }) => {
    const { width, height } = box(place);
    const frame = { width: width - 2 * PADDING, height: height - TITLE - PADDING };
    const content = drawPanel(panel, answers, { ...frame, ...shot, width: frame.width });
    return `<section style="${style(place)}"><h2>${escaped(panel.title)}</h2>${content}</section>`;
  });
  const titles = placed.rows.map(
    ({ title, place }) => `<h3 style="${style(place)}">⌄ ${escaped(title)}</h3>`,
  );
  const bottom = Math.max(...placed.panels.map(({ place }) => box(place).top + box(place).height));
  const variables = board.variables.map((name) => `<span>${name} <b>All</b></span>`).join("");
  return `<!doctype html><meta charset="utf-8"><style>${STYLE}</style>
<body style="width:${shot.width}px;height:${bottom + EDGE}px">
<header><h1>${escaped(board.title)}</h1><em>preview: live data, not a picture of Grafana</em>
<nav>${variables}</nav></header>${titles.join("")}${drawn.join("")}</body>`;
}

/** One panel to a line, in the order of the grid. */
function stacked(panels: readonly Placed[], rows: readonly { title: string; place: Place }[]) {
  const all = [...panels, ...rows].map(({ place }) => place);
  const inOrder = all.toSorted((one, other) => one.y - other.y || one.x - other.x);
  let y = 0;
  const under = new Map<Place, Place>();
  for (const place of inOrder) {
    under.set(place, { ...place, x: 0, y, w: COLUMNS });
    y += place.h;
  }
  const moved = <Each extends { place: Place }>(each: Each): Each => {
    return { ...each, place: under.get(each.place) ?? each.place };
  };
  return { panels: panels.map(moved), rows: rows.map(moved) };
}

const STYLE = `
* { box-sizing: border-box; margin: 0; }
body {
  background: #111217; color: #ccccdc; font: 12px/1.4 Inter, "DejaVu Sans", sans-serif;
  position: relative;
}
header { padding: 12px 16px; } h1 { font-size: 18px; display: inline; }
em { color: #8e8e9a; margin-left: 12px; } nav { margin-top: 4px; }
nav span {
  background: #22252b; padding: 2px 8px; margin: 0 6px 4px 0; border-radius: 2px;
  display: inline-block;
}
section {
  position: absolute; background: #181b1f; border: 1px solid #25272e; padding: 0 8px;
  overflow: hidden;
}
h2 {
  font-size: 13px; line-height: 31px; font-weight: 500; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis;
}
h3 { position: absolute; font-size: 15px; font-weight: 500; }
svg { display: block; shape-rendering: crispEdges; }
svg text { fill: #8e8e9a; font-size: 11px; }
.grid { stroke: #2c2f36; } polyline { stroke-width: 1.5; }
.names { height: 34px; overflow: hidden; }
.names span { margin-right: 10px; white-space: nowrap; display: inline-block; }
.names i {
  display: inline-block; width: 12px; height: 3px; margin-right: 4px; vertical-align: middle;
}
.stats {
  display: flex; height: 100%; align-items: center; justify-content: space-around;
  padding-bottom: 34px; text-align: center; font-weight: 500;
}
.stats small {
  display: block; font-size: 11px; color: #8e8e9a; max-width: 80px; overflow: hidden;
  text-overflow: ellipsis;
}
.gauges {
  display: grid; grid-template-columns: auto 1fr auto; gap: 4px 8px; align-items: center;
}
.gauges div { background: #22252b; height: 14px; } .gauges i { display: block; height: 100%; }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th, td {
  text-align: left; padding: 4px 6px; border-bottom: 1px solid #25272e; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis;
}
th { color: #6e9fff; font-weight: 500; }
.none { text-align: center; color: #8e8e9a; padding-top: 24px; }`;
