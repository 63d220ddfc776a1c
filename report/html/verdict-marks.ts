/** Verdicts on the page: a sign with a word, so that none is told by its colour alone. */

import type { Verdict } from "../../contract/verdict.ts";
import { MARKS, verdictWord } from "../by-verdict.ts";
import type { Report } from "../model.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";

/** Looks of a run's verdict: those of the promises that decide it. */
export const VERDICT_CLASSES = { pass: "kept", fail: "broken", none: "inconclusive" } as const;

export function mark(verdict: Verdict): Markup {
  return labelled(verdict, verdict);
}

export function verdictMark(report: Report): Markup {
  return labelled(VERDICT_CLASSES[report.verdict], verdictWord(report));
}

function labelled(verdict: Verdict, word: string): Markup {
  const sign = html`<span aria-hidden="true">${MARKS[verdict]}</span>`;
  return html`<span class="mark ${verdict}">${sign} ${word}</span>`;
}
