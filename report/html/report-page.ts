/** The page of one run: verdict first, the broken with evidence, what was measured, all promises. */

import { withVerdict } from "../by-verdict.ts";
import { measuredLines } from "../measured-lines.ts";
import type { JudgedPromise, Report } from "../model.ts";
import type { Figure, Section } from "./figure.ts";
import { renderSection } from "./figure.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { renderOverview, utc } from "./overview.ts";
import type { Page, Part } from "./page.ts";
import { renderCatalogue, renderDetail, renderUnobserved } from "./promises.ts";
import { runSections } from "./sections.ts";

export function reportPage(report: Report): Page {
  const sections = runSections(report, "");
  const broken = withVerdict(report, "broken");
  const inconclusive = withVerdict(report, "inconclusive");
  const pictures = assign([...broken, ...inconclusive], sections);
  const shown = new Set([...pictures.values()].flat().map(({ id }) => id));
  const detail = (each: JudgedPromise) => renderDetail(each, pictures.get(each.id) ?? []);
  const parts: Part[] = [
    ...part("broken", "Broken", broken.length, () => broken.map(detail)),
    ...part("inconclusive", "Inconclusive", inconclusive.length, () => inconclusive.map(detail)),
    ...part("unobserved", "Unobserved", report.counts.unobserved, () => [renderUnobserved(report)]),
    ...measuredPart(report, sections, shown),
    {
      id: "promises",
      title: "All promises",
      count: report.promises.length,
      body: renderCatalogue(report),
    },
    ...part("notes", "Notes", report.notes.length, () => [
      html`<ul>${report.notes.map((note) => html`<li>${note}</li>`)}</ul>`,
    ]),
  ];
  return {
    title: `${report.target.baseUrl}, ${utc(report.startedAt)}`,
    overview: renderOverview(report),
    parts,
  };
}

function part(id: string, title: string, count: number, body: () => readonly Markup[]): Part[] {
  return count === 0 ? [] : [{ id, title, count, body: html`${body()}` }];
}

/** Each picture goes to the first promise that it is evidence of. */
function assign(
  promises: readonly JudgedPromise[],
  sections: readonly Section[],
): ReadonlyMap<string, readonly Figure[]> {
  const free = new Set(sections.flatMap(({ figures }) => figures));
  const assigned = new Map<string, readonly Figure[]>();
  for (const promise of promises) {
    const own = [...free].filter(({ shows }) => shows.includes(promise.id));
    const named = own.filter(({ subject }) => subject === null || isNamed(subject, promise));
    const chosen = named.length > 0 ? named : own.slice(0, 1);
    for (const figure of chosen) free.delete(figure);
    assigned.set(promise.id, chosen);
  }
  return assigned;
}

function isNamed(subject: string, { evidence, summary }: JudgedPromise): boolean {
  return Object.hasOwn(evidence, subject) && summary.includes(subject);
}

function measuredPart(
  report: Report,
  sections: readonly Section[],
  shown: ReadonlySet<string>,
): Part[] {
  const { rows, sentences } = measuredLines(report);
  const lines = [...rows, ...sentences];
  if (lines.length + sections.length === 0) return [];
  const body = html`<ul class="measured">${lines.map((line) => html`<li>${line}</li>`)}</ul>
${sections.map((section) => renderSection(section, shown))}`;
  const links = sections.map(({ id, title }) => ({ id, title }));
  return [{ id: "measured", title: "Measured", count: null, body, links }];
}
