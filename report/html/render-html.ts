/** The report as one HTML file: of a run, of several side by side, or of another command's find. */

import type { CapacityCurve } from "../capacity-page.ts";
import type { ComparisonIntervals } from "../comparison-intervals.ts";
import type { Report } from "../model.ts";
import type { Section } from "./figure.ts";
import { renderFigures } from "./figure.ts";
import { html } from "./markup.ts";
import type { Page } from "./page.ts";
import { renderPage } from "./page.ts";
import { reportPage } from "./report-page.ts";
import { capacitySection } from "./sections/capacity.ts";
import { comparisonSection } from "./sections/comparison.ts";
import { sideBySidePage } from "./side-by-side.ts";

export interface HtmlInput {
  /** Runs of the gate, in the order in which they are shown. */
  runs?: readonly Report[];
  capacities?: readonly CapacityCurve[];
  comparisons?: readonly ComparisonIntervals[];
  /** docs/interface.md: what a run's page quotes of it; without it § leads nowhere. */
  interfaceText?: string;
}

/** A whole document that asks for nothing: no network, no script. */
export function renderHtml(input: HtmlInput): string {
  const { runs = [], capacities = [], comparisons = [], interfaceText = "" } = input;
  const added = [capacitySection(capacities), comparisonSection(comparisons)].filter(
    ({ figures }) => figures.length > 0,
  );
  const [first, ...others] = runs;
  if (first === undefined) return renderPage(findPage(added));
  if (others.length > 0) return renderPage(sideBySidePage(runs, added));
  return renderPage(reportPage(first, added, interfaceText));
}

/** Without a run, what was found is the verdict. */
function findPage(sections: readonly Section[]): Page {
  const summaries = sections.flatMap(({ figures }) => figures.map(({ caption }) => caption));
  return {
    title: sections.map(({ title }) => title).join(" and "),
    overview: html`${summaries.map((each) => html`<p class="why">${each}</p>`)}`,
    parts: sections.map((section) => ({
      id: section.id,
      title: section.title,
      count: null,
      body: renderFigures(section),
    })),
  };
}
