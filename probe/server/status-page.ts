/** The status page: for a person at three in the morning; complete without JavaScript. */

import type { CanaryView, RunView, StatusView } from "./status-board.ts";

/** Ours: the bar of a run that took its whole deadline. */
const BAR_PX_MAX = 60;

export function renderStatusPage(view: StatusView, nonce: string): string {
  const healthy = view.troubles.length === 0;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="30">
<title>${healthy ? "ok" : "TROUBLE"} - plumbline probe</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main id="status">${renderStatus(view)}</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

/** The part of the page that changes; server-sent events carry it whole. */
export function renderStatus(view: StatusView): string {
  const { troubles, canaries, links, baseUrl, location, version, nowMs } = view;
  return [
    `<h1>plumbline probe</h1>`,
    `<p>${text(baseUrl)} from ${text(location)}, version ${text(version)}, `,
    `<time>${new Date(nowMs).toISOString()}</time></p>`,
    troubles.length === 0
      ? `<p class="good" role="status">No trouble is known.</p>`
      : `<ul class="bad" role="alert">${troubles.map(listItem).join("")}</ul>`,
    renderLinks(links),
    `<table><thead><tr><th>canary</th><th>last runs</th><th>last result</th>`,
    `<th>time in each state</th><th>in flight</th><th>next</th></tr></thead><tbody>`,
    ...canaries.map((canary) => renderCanary(canary, nowMs)),
    `</tbody></table>`,
  ].join("");
}

function listItem(each: string): string {
  return `<li>${text(each)}</li>`;
}

function renderLinks({ runbook, dashboard }: StatusView["links"]): string {
  const given = [
    ["runbook", runbook],
    ["dashboard", dashboard],
  ].flatMap(([name, url]) => (url == null ? [] : [`<a href="${text(url)}">${name}</a>`]));
  return given.length === 0 ? "" : `<p>${given.join(" ")}</p>`;
}

function renderCanary(canary: CanaryView, nowMs: number): string {
  const last = canary.runs.at(-1);
  const stays = last?.stays.map(({ state, ms }) => `${state} ${seconds(ms)}`).join(", ") ?? "";
  const age =
    canary.oldestSubmittedAtMs === null
      ? ""
      : ` (oldest ${seconds(nowMs - canary.oldestSubmittedAtMs)})`;
  const due = canary.nextDueMs === null ? "" : seconds(Math.max(0, canary.nextDueMs - nowMs));
  const result = last === undefined ? "none yet" : `${last.outcome}: ${last.why}`;
  return [
    `<tr><th scope="row">${text(canary.name)}</th>`,
    `<td>${renderBars(canary)}</td><td>${text(result)}</td><td>${text(stays)}</td>`,
    `<td>${canary.inFlight}${age}</td><td>${due}</td></tr>`,
  ].join("");
}

function renderBars({ runs, deadlineMs, name }: CanaryView): string {
  const bars = runs.map((run, index) => renderBar(run, index * 8, deadlineMs)).join("");
  const label = `last ${runs.length} runs of ${text(name)}`;
  return `<svg role="img" aria-label="${label}" width="320" height="${BAR_PX_MAX}">${bars}</svg>`;
}

function renderBar(run: RunView, x: number, deadlineMs: number): string {
  const totalPx = Math.max(4, BAR_PX_MAX * Math.sqrt(Math.min(1, run.durationMs / deadlineMs)));
  const sum = run.stays.reduce((total, { ms }) => total + ms, 0);
  const when = new Date(run.submittedAtMs).toISOString();
  const title = `${when} ${run.outcome} ${seconds(run.durationMs)} ${run.jobId ?? ""}`;
  let y = BAR_PX_MAX;
  const parts = run.stays.map(({ state, ms }) => {
    const px = sum === 0 ? 0 : (totalPx * ms) / sum;
    y -= px;
    const place = `x="${x}" y="${y.toFixed(1)}" width="6" height="${px.toFixed(1)}"`;
    return `<rect class="${state}" ${place}/>`;
  });
  const verdict = run.outcome === "success" ? "good" : "bad";
  const foot = `<rect class="${verdict}" x="${x}" y="${BAR_PX_MAX - 3}" width="6" height="3"/>`;
  return `<g><title>${text(title)}</title>${parts.join("")}${foot}</g>`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Identifiers come from the service, and may be anything. */
function text(raw: string): string {
  return raw.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? "");
}

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1b1b1b; background: #fff; }
table { border-collapse: collapse; } th, td { text-align: left; padding: .4rem .8rem; }
tr { border-bottom: 1px solid #ddd; }
p.good { color: #05603a; } ul.bad { color: #9b1c1c; font-weight: 600; }
rect.good { fill: #05603a; } rect.bad { fill: #d92d20; }
rect.accepted, rect.queued { fill: #b2ccff; } rect.starting { fill: #84adff; }
rect.running { fill: #2970ff; }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #14161a; } tr { border-color: #333; }
  p.good { color: #6ce9a6; } ul.bad { color: #fda29b; }
}`;

const SCRIPT = `
document.querySelector('meta[http-equiv=refresh]').remove();
const source = new EventSource('events');
source.onmessage = (event) => {
  const told = JSON.parse(event.data);
  document.getElementById('status').innerHTML = told.html;
  document.title = told.title;
};`;
