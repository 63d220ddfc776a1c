/** Promises as the page shows them: the broken with all evidence, the rest in tables. */

import { byGroup, byReason, contentLines, missed, notAskedFor, shortList } from "../by-verdict.ts";
import { evidenceRows, quoteFacts } from "../evidence.ts";
import type { JudgedPromise, Observation, Report } from "../model.ts";
import { strengthText } from "../strength-text.ts";
import { cut, oneLine } from "../text.ts";
import type { Figure } from "./figure.ts";
import { renderFigure } from "./figure.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { mark } from "./verdict-marks.ts";

/** Ours: a value of more is a list that nobody reads here; report.json has the whole. */
const VALUE_CHARS_MAX = 400;
/** Ours: what differs from one to the next is seen in five. */
const ITEMS_MAX = 5;
/** Ours: one example convinces, a second one shows that it was no chance. */
const QUOTES_OPEN_MAX = 2;

/** What of a promise's pictures is shown with it, and what further down. */
export interface Pictures {
  here: readonly Figure[];
  below: readonly Figure[];
}

/**
 * A promise with its evidence; of one that can't be told, the quotes are folded. `sections`: those
 * of the interface that the page quotes.
 */
export function renderDetail(
  promise: JudgedPromise,
  { here, below }: Pictures,
  sections: ReadonlySet<string>,
): Markup {
  const { id, verdict, section, title, summary, observations } = promise;
  const open = verdict === "broken" ? QUOTES_OPEN_MAX : 0;
  return html`<article class="promise ${verdict}" id="promise-${id}">
<h3>${mark(verdict)} <code>${id}</code></h3>
<p class="soft">${renderSectionName(section, sections)} ${title}</p>
<p class="summary">${summary}</p>
${renderEvidence(promise)}
${observations.slice(0, open).map(renderQuote)}
${renderFolded(observations.slice(open), open === 0 ? "quoted" : "more")}
${below.map((each) => html`<p>→ <a href="#${each.id}">${each.title}</a></p>`)}
${here.length === 0 ? null : html`<div class="figures">${here.map(renderFigure)}</div>`}
</article>
`;
}

function renderSectionName(section: string, quoted: ReadonlySet<string>): Markup {
  return quoted.has(section)
    ? html`<a href="#s${section}">§${section}</a>`
    : html`<span>§${section}</span>`;
}

function renderFolded(observations: readonly Observation[], word: string): Markup | null {
  if (observations.length === 0) return null;
  const title = `${observations.length} ${word}`;
  return html`<details><summary>${title}</summary>${observations.map(renderQuote)}</details>`;
}

function renderEvidence(promise: JudgedPromise): Markup | null {
  const rows = evidenceRows(promise);
  if (rows.length === 0) return null;
  const shown = rows.map(
    ({ name, items }) => html`<dt>${name}</dt>${items
      .slice(0, ITEMS_MAX)
      .map((text) => html`<dd>${cut(text, VALUE_CHARS_MAX)}</dd>`)}
${renderLeft(items.length)}`,
  );
  return html`<dl class="evidence">${shown}</dl>`;
}

function renderLeft(count: number): Markup | null {
  return count > ITEMS_MAX
    ? html`<dd class="soft">and ${count - ITEMS_MAX} more in report.json</dd>`
    : null;
}

function renderQuote(observation: Observation): Markup {
  const facts = quoteFacts(observation);
  const { request, answer } = observation;
  const lines = contentLines(observation);
  const content = lines.length === 0 ? null : html`<pre>${lines.join("\n")}</pre>`;
  return html`<div class="quote"><p><b>${oneLine(request)}</b> → <b>${oneLine(answer)}</b>
<span class="soft">${facts}</span>${traceAnchor(observation)}</p>${content}</div>`;
}

/** A report may come from anybody: nothing but a page of the web is led to. */
function traceAnchor({ traceUrl = "" }: Observation): Markup | null {
  return /^https?:\/\//.test(traceUrl) ? html` <a href="${traceUrl}">trace</a>` : null;
}

/** Those that nobody could look at, by reason. */
export function renderUnobserved(report: Report): Markup {
  const unasked = notAskedFor(report);
  const reasons = [...byReason(missed(report))];
  return html`<ul class="reasons">${reasons.map(
    ([reason, group]) =>
      html`<li>${reason}<br><code>${shortList(group, report.promises)}</code></li>`,
  )}${unasked === 0 ? null : html`<li>${unasked} promises were not asked for</li>`}</ul>`;
}

function renderStrength({ strength }: JudgedPromise): Markup | null {
  if (strength === null) return null;
  return html`<br><span class="soft">${strengthText(strength)}</span>`;
}

/** Every promise of the catalogue in a table, by group. */
export function renderCatalogue({ promises }: Report): Markup {
  return html`<table class="catalogue"><caption class="hidden">All promises</caption>
<thead><tr>${["promise", "verdict", "seen"].map((each) => html`<th scope="col">${each}</th>`)}
</tr></thead>
${[...byGroup(promises)].map(
  ([, group]) =>
    html`<tbody>${group.map(
      (each) => html`<tr><th scope="row"><code>${each.id}</code></th><td>${mark(each.verdict)}</td>
<td>${each.summary}${renderStrength(each)}</td></tr>`,
    )}</tbody>`,
)}</table>`;
}
