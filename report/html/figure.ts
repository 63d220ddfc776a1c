/** A plot with its title, what it says in a sentence, and its figures as a table behind it. */

import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import type { PlotSize } from "./plot.ts";

export interface Table {
  head: readonly string[];
  rows: readonly (readonly (string | number | null)[])[];
  /** What the table leaves out, in a sentence. */
  note?: string;
}

export interface Figure {
  /** Unique on the page. */
  id: string;
  title: string;
  /** What there is to see, measured against promised. */
  caption: string;
  size: PlotSize;
  /** One above the other. */
  plots: readonly Markup[];
  legend?: readonly LegendEntry[];
  table: Table;
  /** Beside others it is the first of its row. */
  startsRow?: boolean;
  /** Promises of which it is evidence; left out: none. */
  shows?: readonly string[];
  /** Key or worker that it is about, as evidence names it; left out: it is about all. */
  subject?: string;
}

/** How a line or a mark looks, and what it stands for. */
export interface LegendEntry {
  /** A class of the style that draws the sample. */
  sample: string;
  text: string;
}

/** Figures on one subject; those that a broken promise shows already are only pointed at. */
export interface Section {
  /** Unique on the page. */
  id: string;
  title: string;
  /** How to read the figures. */
  about: string;
  figures: readonly Figure[];
}

export function renderFigure(figure: Figure): Markup {
  const { id, title, caption, size, startsRow = false, plots, legend = [], table } = figure;
  return html`<figure id="${id}" class="${size}${startsRow ? " row-start" : ""}">
<h4>${title}</h4>
<figcaption>${caption}</figcaption>
${plots}
${legend.length === 0 ? null : renderLegend(legend)}
<details class="data"><summary>Figures as a table</summary>
${renderTable(table, `Figures of ${title}`)}</details>
</figure>
`;
}

function renderLegend(entries: readonly LegendEntry[]): Markup {
  return html`<ul class="legend" aria-hidden="true">${entries.map(
    ({ sample, text }) => html`<li><span class="sample ${sample}"></span>${text}</li>`,
  )}</ul>`;
}

export function renderTable({ head, rows, note }: Table, label: string): Markup {
  const lines = rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell ?? "–"}</td>`)}</tr>`,
  );
  const soft = note === undefined ? null : html`<p class="soft">${note}</p>`;
  return html`${renderGrid(label, null, head, lines)}${soft}`;
}

/** A table that scrolls where it is too wide. `label` names it to a screen reader. */
export function renderGrid(
  label: string,
  kind: string | null,
  head: readonly string[],
  lines: readonly Markup[],
): Markup {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${label}"><table${
    kind === null ? null : html` class="${kind}"`
  }><thead>
<tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${lines}</tbody></table></div>
`;
}

/** `shown`: identifiers of figures that the page shows further up. */
export function renderSection(section: Section, shown: ReadonlySet<string>): Markup {
  const { id, title, figures } = section;
  const elsewhere = figures.filter((each) => shown.has(each.id));
  const here = figures.filter((each) => !shown.has(each.id));
  return html`<section id="${id}"><h3>${title}</h3>
${elsewhere.map(
  (each) => html`<p>↑ <a href="#${each.id}">${each.title}</a> is shown with its promise.</p>`,
)}
${here.length === 0 ? null : renderFigures({ ...section, figures: here })}</section>
`;
}

/** Without a heading, for a part of the page that has one. */
export function renderFigures({ about, figures }: Section): Markup {
  return html`<p class="soft">${about}</p><div class="figures">${figures.map(renderFigure)}</div>`;
}
