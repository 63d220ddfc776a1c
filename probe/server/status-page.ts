/** The status page: for a person at three in the morning; complete without JavaScript. */

import { escaped } from "../../report/text.ts";
import { PAGE_SCRIPT } from "./page-script.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { renderCanary, renderLegend } from "./render-canary.ts";
import { clockTime, spell } from "./spell.ts";
import type { StatusView } from "./view.ts";

/** Without JavaScript the page is asked for again; with it, events replace its contents. */
export function renderStatusPage(view: StatusView, nonce: string): string {
  const { title, html } = pageState(view);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<noscript><meta http-equiv="refresh" content="15"></noscript>
<title>${title}</title>
<style nonce="${nonce}">${PAGE_STYLE}</style>
</head>
<body>
<p id="lost" class="bad" role="alert" hidden></p>
<main id="status">${html}</main>
<script nonce="${nonce}">${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/** The part of the page that changes, as server-sent events carry it. */
export function pageState(view: StatusView): { title: string; html: string } {
  return { title: `${verdictOf(view).word} - plumbline probe`, html: renderStatus(view) };
}

/** Green only by evidence: what is not known yet is neither good nor bad. */
function verdictOf({ troubles, unknown }: StatusView): { word: string; kind: string } {
  if (troubles.length > 0) return { word: "TROUBLE", kind: "bad" };
  return unknown.length > 0 ? { word: "waiting", kind: "open" } : { word: "ok", kind: "good" };
}

function renderStatus(view: StatusView): string {
  const { canaries, baseUrl, location, version, nowMs, startedAtMs } = view;
  const asOf = new Date(nowMs);
  return [
    `<header><h1>plumbline probe</h1>`,
    `<p>watches <b>${escaped(baseUrl)}</b> from <b>${escaped(location)}</b></p></header>`,
    renderVerdict(view),
    renderLinks(view.links),
    `<table><thead><tr><th>canary</th><th>last runs, newest right</th><th>last result</th>`,
    `<th>time in each state</th><th>now</th></tr></thead><tbody>`,
    ...canaries.map((canary) => renderCanary(canary, nowMs)),
    `</tbody></table>`,
    renderLegend(),
    `<footer>as of <time datetime="${asOf.toISOString()}">${clockTime(nowMs)}</time> UTC`,
    ` · running for ${spell(nowMs - startedAtMs)} · version ${escaped(version)}`,
    ` · <a href="api/canaries">as JSON</a> · <a href="metrics">metrics</a></footer>`,
  ].join("");
}

function renderVerdict(view: StatusView): string {
  const { troubles, unknown, canaries } = view;
  const { kind } = verdictOf(view);
  if (kind === "bad") {
    const items = [...troubles, ...unknown].map((each) => `<li>${escaped(each)}</li>`).join("");
    const count = troubles.length === 1 ? "Trouble" : `${troubles.length} troubles`;
    return `<section class="verdict bad" role="alert"><h2>${count}</h2><ul>${items}</ul></section>`;
  }
  const text =
    kind === "open" ? `Waiting: ${unknown.map(escaped).join(", ")}.` : wellText(canaries.length);
  return `<section class="verdict ${kind}" role="status"><h2>${text}</h2></section>`;
}

function wellText(count: number): string {
  return count === 1 ? "The canary is well." : `All ${count} canaries are well.`;
}

function renderLinks({ runbook, dashboard }: StatusView["links"]): string {
  const given = [
    ["Runbook", runbook],
    ["Dashboard", dashboard],
  ].flatMap(([name, url]) => (url == null ? [] : [`<a href="${escaped(url)}">${name}</a>`]));
  return given.length === 0 ? "" : `<nav>${given.join(" ")}</nav>`;
}
