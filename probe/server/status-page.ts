/** The status page: for a person at three in the morning; complete without JavaScript. */

import { countText } from "../../contract/numbers/figures.ts";
import { escaped } from "../../report/text.ts";
import { clockTime, dayTime, spell } from "../spell.ts";
import type { PageParts } from "./page-shell.ts";
import { PAGE_SCRIPT } from "./page-shell.ts";
import { renderCanary, renderLegend } from "./render-canary.ts";
import type { Problem, StatusView } from "./view.ts";

/** Without JavaScript the page is asked for again; with it, events replace its contents. */
export function statusPage(view: StatusView): PageParts {
  const { title, html } = pageState(view);
  return {
    title,
    head: `<noscript><meta http-equiv="refresh" content="15"></noscript>\n`,
    body: `<p id="lost" class="bad" role="alert" hidden></p>\n<main id="status">${html}</main>`,
    script: PAGE_SCRIPT,
  };
}

/** The part of the page that changes, as server-sent events carry it. */
export function pageState(view: StatusView): { title: string; html: string } {
  return { title: `${verdictOf(view).word} - plumbline probe`, html: renderStatus(view) };
}

/** Green only by evidence: what is not known yet is neither good nor bad. */
function verdictOf({ problems, unknown }: StatusView): { word: string; kind: string } {
  if (problems.length > 0) return { word: countText(problems.length, "problem"), kind: "bad" };
  return unknown.length > 0 ? { word: "waiting", kind: "open" } : { word: "ok", kind: "good" };
}

function renderStatus(view: StatusView): string {
  const { canaries, baseUrl, receiverUrl, location, version, nowMs, startedAtMs } = view;
  const receiver = receiverUrl === null ? "" : `, webhooks to <b>${escaped(receiverUrl)}</b>`;
  const asOf = new Date(nowMs);
  const day = asOf.toISOString().slice(0, 10);
  return [
    `<header><h1>plumbline probe</h1>`,
    `<p>probes <b>${escaped(baseUrl)}</b> from <b>${escaped(location)}</b>${receiver}</p></header>`,
    renderVerdict(view),
    renderOver(view),
    renderLinks(view.links),
    `<table><thead><tr><th>canary</th><th>last runs, newest right</th><th>last result</th>`,
    `<th>time in each state</th><th>now</th></tr></thead><tbody>`,
    ...canaries.map((canary) => renderCanary(canary, nowMs, view.pause)),
    `</tbody></table>`,
    renderLegend(),
    `<footer>as of <time datetime="${asOf.toISOString()}">${day} ${clockTime(nowMs)}</time> UTC`,
    ` · running for ${spell(nowMs - startedAtMs)} · version ${escaped(version)}`,
    ` · <a href="api/canaries">as JSON</a> · <a href="metrics">metrics</a>`,
    ` · <a href="runbooks">runbooks</a> · <a href="interface">interface</a></footer>`,
  ].join("");
}

function renderVerdict(view: StatusView): string {
  const { problems, unknown, canaries, nowMs } = view;
  const { word, kind } = verdictOf(view);
  if (kind === "bad") {
    const items = problems.map((problem) => renderProblem(problem, nowMs));
    const open = unknown.map((each) => `<li>${escaped(each)}</li>`);
    const list = `<ul>${[...items, ...open].join("")}</ul>`;
    return `<section class="verdict bad" role="alert"><h2>${word}</h2>${list}</section>`;
  }
  const text =
    kind === "open" ? `Waiting: ${unknown.map(escaped).join(", ")}.` : passText(canaries.length);
  const more = kind === "open" ? "" : `<p>${OF_TIMES}</p>`;
  return `<section class="verdict ${kind}" role="status"><h2>${text}</h2>${more}</section>`;
}

/** What was wrong until a few minutes ago: not counted, and not to be missed. */
function renderOver({ over, nowMs }: StatusView): string {
  if (over.length === 0) return "";
  const items = over.map((problem) => {
    const { sinceMs, lastAtMs, times } = problem;
    const begun = dayTime(sinceMs, nowMs);
    return times === 1
      ? listItem(problem, [`at ${begun} UTC`])
      : listItem(problem, [`from ${begun} to ${dayTime(lastAtMs, nowMs)} UTC`, `${times} times`]);
  });
  const list = `<ul>${items.join("")}</ul>`;
  return `<section class="over"><h2>Over: later runs succeeded</h2>${list}</section>`;
}

/** What is wrong, who sees it, since when, what was seen of it, and what to do. */
function renderProblem(problem: Problem, nowMs: number): string {
  const { sinceMs, lastAtMs, times } = problem;
  return listItem(problem, [
    `since ${dayTime(sinceMs, nowMs)} UTC (${spell(nowMs - sinceMs)})`,
    ...(times === 1 ? [] : [`${times} times, last ${spell(nowMs - lastAtMs)} ago`]),
  ]);
}

/** `times`: when it was seen, and how often. */
function listItem(problem: Problem, times: readonly string[]): string {
  const { title, canaries, jobIds, runbook } = problem;
  const seen = [
    ...times,
    ...(canaries.length === 0 ? [] : [`seen by ${escaped(listed(canaries))}`]),
  ];
  const said = [...problem.details, ...problem.broken]
    .map((detail) => `<br>${escaped(detail)}`)
    .join("");
  const jobs = jobIds.map((id) => ` <code>${escaped(id)}</code>`).join("");
  return (
    `<li><b>${escaped(title)}</b> <a href="runbooks/${runbook}">runbook</a>${said}` +
    `<small>${seen.join(" · ")}${jobs === "" ? "" : ` · jobs${jobs}`}</small></li>`
  );
}

/** Ours: as many names as fit a line. */
const NAMES_MAX = 5;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).join(", ");
  return names.length <= NAMES_MAX ? shown : `${shown} and ${names.length - NAMES_MAX} more`;
}

/** How long is too long, the rules know: the alerts on times are not the page's to confirm. */
const OF_TIMES = "How long jobs and webhooks take is on the boards.";

function passText(count: number): string {
  return count === 1 ? "The canary passes." : `All ${count} canaries pass.`;
}

function renderLinks({ runbook, dashboard }: StatusView["links"]): string {
  const given = [
    ["Runbook", runbook],
    ["Dashboard", dashboard],
  ].flatMap(([name, url]) => (url == null ? [] : [`<a href="${escaped(url)}">${name}</a>`]));
  return given.length === 0 ? "" : `<nav>${given.join(" ")}</nav>`;
}
