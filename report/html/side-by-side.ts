/** The page of several runs: where they differ first, then figures and pictures side by side. */

import type { Verdict } from "../../contract/verdict.ts";
import { tookMs } from "../by-verdict.ts";
import { measuredFigures } from "../measured-lines.ts";
import type { Report } from "../model.ts";
import { duration } from "../text.ts";
import type { Section } from "./figure.ts";
import { renderGrid, renderSection } from "./figure.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { utc } from "./overview.ts";
import type { Page, Part } from "./page.ts";
import { runSections } from "./sections.ts";
import { mark, verdictMark } from "./verdict-marks.ts";

/** A promise in all runs; undefined where a run's catalogue had none of that name. */
interface Row {
  id: string;
  cells: readonly ({ verdict: Verdict; summary: string } | undefined)[];
}

export function sideBySidePage(reports: readonly Report[], added: readonly Section[]): Page {
  const rows = rowsOf(reports);
  const different = rows.filter(
    ({ cells }) => new Set(cells.map((each) => each?.verdict)).size > 1,
  );
  const sections = [...joinedSections(reports), ...added];
  const differing =
    different.length === 0
      ? html`<p>Every promise has the same verdict in all ${reports.length} runs.</p>`
      : renderMatrix(different, reports, true);
  const parts: Part[] = [
    { id: "different", title: "Where they differ", count: different.length, body: differing },
    ...measuredPart(reports, sections),
    {
      id: "promises",
      title: "All promises",
      count: rows.length,
      body: renderMatrix(rows, reports, false),
    },
  ];
  return { title: `${reports.length} runs side by side`, overview: renderRuns(reports), parts };
}

function runName(at: number): string {
  return `run ${at + 1}`;
}

function rowsOf(reports: readonly Report[]): Row[] {
  const byRun = reports.map(({ promises }) => new Map(promises.map((each) => [each.id, each])));
  const ids = new Set(byRun.flatMap((run) => [...run.keys()]));
  return [...ids].map((id) => ({ id, cells: byRun.map((run) => run.get(id)) }));
}

function renderRuns(reports: readonly Report[]): Markup {
  const head = ["", "verdict", "broken", "inconclusive", "kept", "unobserved", "target", "run"];
  return renderGrid("The runs", "runs", head, reports.map(renderRun));
}

function renderRun(report: Report, at: number): Markup {
  const { counts, target, profile, startedAt, tool } = report;
  const took = duration(tookMs(report));
  const variant = target.variant === null ? "" : `, variant ${target.variant}`;
  return html`<tr><th scope="row"><b>${runName(at)}</b></th><td>${verdictMark(report)}</td>
<td>${counts.broken}</td><td>${counts.inconclusive}</td><td>${counts.kept}</td>
<td>${counts.unobserved}</td><td>${target.baseUrl}${variant}</td>
<td>${profile}, ${utc(startedAt)}, ${took}, plumbline ${tool.plumbline}</td></tr>`;
}

function renderMatrix(rows: readonly Row[], reports: readonly Report[], isLong: boolean): Markup {
  const head = ["promise", ...reports.map((_, at) => runName(at))];
  const lines = rows.map(
    ({ id, cells }) =>
      html`<tr><th scope="row"><code>${id}</code></th>${cells.map((cell) =>
        renderCell(cell, isLong),
      )}</tr>`,
  );
  return renderGrid("Promises by run", "matrix", head, lines);
}

function renderCell(cell: Row["cells"][number], isLong: boolean): Markup {
  if (cell === undefined) return html`<td>–</td>`;
  return html`<td>${mark(cell.verdict)}${isLong ? html`<p>${cell.summary}</p>` : null}</td>`;
}

function measuredPart(reports: readonly Report[], sections: readonly Section[]): Part[] {
  const figures = reports.map(measuredFigures);
  const names = [...new Set(figures.flatMap((run) => [...run.keys()]))];
  if (names.length + sections.length === 0) return [];
  const lines = names.map(
    (name) =>
      html`<tr><th scope="row">${name}</th>${figures.map(
        (run) => html`<td>${run.get(name) ?? "–"}</td>`,
      )}</tr>`,
  );
  const head = ["figure", ...reports.map((_, at) => runName(at))];
  const body = html`${renderGrid("Figures by run", null, head, lines)}
${sections.map((section) => renderSection(section, new Set()))}`;
  const links = sections.map(({ id, title }) => ({ id, title }));
  return [{ id: "measured", title: "Measured", count: null, body, links }];
}

/** A section holds the pictures of all runs, those of one subject beside each other. */
function joinedSections(reports: readonly Report[]): Section[] {
  const byId = new Map<string, Section>();
  reports.forEach((report, at) => {
    const idPrefix = `run-${at + 1}-`;
    for (const section of runSections(report, { idPrefix, size: "half" })) {
      const id = section.id.slice(idPrefix.length);
      const figures = section.figures.map((figure) => ({
        ...figure,
        title: `${figure.title}, ${runName(at)}`,
        startsRow: at === 0,
      }));
      const earlier = byId.get(id)?.figures ?? [];
      byId.set(id, { ...section, id, figures: [...earlier, ...figures] });
    }
  });
  return [...byId.values()].map((section) => ({
    ...section,
    figures: section.figures.toSorted((a, b) =>
      subjectOf(a.title).localeCompare(subjectOf(b.title)),
    ),
  }));
}

/** The title without the run. */
function subjectOf(title: string): string {
  return title.slice(0, title.lastIndexOf(", "));
}
