/** The page of one run: verdict, the broken with evidence, what was measured, all promises. */

import { withVerdict } from "../by-verdict.ts";
import { measuredLines } from "../measured-lines.ts";
import type { JudgedPromise, Report } from "../model.ts";
import { rateCells } from "../rate-table.ts";
import type { Figure, Section } from "./figure.ts";
import { renderSection, renderTable } from "./figure.ts";
import { quoteInterface } from "./interface-part.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { renderOverview, utc } from "./overview.ts";
import type { Page, Part } from "./page.ts";
import type { Pictures } from "./promises.ts";
import { renderCatalogue, renderDetail, renderUnobserved } from "./promises.ts";
import { runSections } from "./sections.ts";

/** `added`: what other commands found and the page shows beside it. `text`: the interface's. */
export function reportPage(report: Report, added: readonly Section[], text: string): Page {
  const sections = [...runSections(report, { idPrefix: "", size: "whole" }), ...added];
  const broken = withVerdict(report, "broken");
  const inconclusive = withVerdict(report, "inconclusive");
  const pictures = picturesOf(broken, inconclusive, sections);
  const shown = new Set([...pictures.values()].flatMap(({ here }) => here.map(({ id }) => id)));
  const quoted = quoteInterface(text, [...broken, ...inconclusive]);
  const detail = (each: JudgedPromise) =>
    renderDetail(each, pictures.get(each.id) ?? { here: [], below: [] }, quoted.sections);
  const parts: Part[] = [
    ...part("broken", "Broken", broken.length, () => broken.map(detail)),
    ...part("inconclusive", "Inconclusive", inconclusive.length, () => inconclusive.map(detail)),
    ...part("unobserved", "Unobserved", report.counts.unobserved, () => [renderUnobserved(report)]),
    ...measuredPart(report, sections, shown),
    ...part("promises", "All promises", report.promises.length, () => [renderCatalogue(report)]),
    ...part("notes", "Notes", report.notes.length, () => [
      html`<ul>${report.notes.map((note) => html`<li>${note}</li>`)}</ul>`,
    ]),
    ...(quoted.part === null ? [] : [quoted.part]),
  ];
  const title = `${report.target.baseUrl}, ${utc(report.startedAt)}`;
  return { title, overview: renderOverview(report), parts };
}

function part(id: string, title: string, count: number, body: () => readonly Markup[]): Part[] {
  return count === 0 ? [] : [{ id, title, count, body: html`${body()}` }];
}

/** Each picture goes to the first broken promise that it is evidence of; the others point at it. */
function picturesOf(
  broken: readonly JudgedPromise[],
  inconclusive: readonly JudgedPromise[],
  sections: readonly Section[],
): ReadonlyMap<string, Pictures> {
  const figures = sections.flatMap((section) => section.figures);
  const free = new Set(figures);
  const pictures = new Map<string, Pictures>();
  for (const promise of broken) {
    const own = evidenceOf(promise, figures);
    const here = own.filter((figure) => free.has(figure));
    for (const figure of here) free.delete(figure);
    pictures.set(promise.id, { here, below: own.filter((figure) => !here.includes(figure)) });
  }
  for (const promise of inconclusive) {
    pictures.set(promise.id, { here: [], below: evidenceOf(promise, figures) });
  }
  return pictures;
}

/** Of several keys or workers only the ones that the promise's summary names, if it does. */
function evidenceOf({ id, summary }: JudgedPromise, figures: readonly Figure[]): Figure[] {
  const own = figures.filter(({ shows = [] }) => shows.includes(id));
  const named = own.filter(({ subject: s }) => s === undefined || summary.includes(`${s}:`));
  return named.length > 0 ? named : own.slice(0, 1);
}

function measuredPart(
  report: Report,
  sections: readonly Section[],
  shown: ReadonlySet<string>,
): Part[] {
  const { sentences } = measuredLines(report);
  const limits = rateCells(report.measurements.rate ?? []);
  if (limits.length + sentences.length + sections.length === 0) return [];
  const head = ["key (plan)", "sustained [interval] of plan", "burst of plan", "kind"];
  const rows = limits.map((row) => row.map((cell) => cell.replace(/^(burst|rate|kind) /, "")));
  const body = html`${limits.length === 0 ? null : renderTable({ head, rows }, "Rate limits")}
<ul class="measured">${sentences.map((line) => html`<li>${line}</li>`)}</ul>
${sections.map((section) => renderSection(section, shown))}`;
  const links = sections.map(({ id, title }) => ({ id, title }));
  return [{ id: "measured", title: "Measured", count: null, body, links }];
}
