/** Top of the page: the verdict, why, the counts, and the circumstances of the run. */

import { countText, rounded } from "../../contract/numbers/figures.ts";
import { MARKS, tookMs, verdictWord } from "../by-verdict.ts";
import { labelsText } from "../labels-text.ts";
import type { Report } from "../model.ts";
import { spentLine } from "../spent-line.ts";
import { duration } from "../text.ts";
import type { Markup } from "./markup.ts";
import { html } from "./markup.ts";
import { VERDICT_CLASSES } from "./verdict-marks.ts";

export function renderOverview(report: Report): Markup {
  const kind = VERDICT_CLASSES[report.verdict];
  const partial = report.partial
    ? html`<p><b>Partial: the run was interrupted before its end.</b></p>`
    : null;
  return html`<section class="verdict ${kind}" aria-label="Verdict">
<p class="word"><span aria-hidden="true">${MARKS[kind]}</span> ${verdictWord(report)}</p>
<div><p class="why">${report.verdictReason}</p>${partial}${renderCounts(report)}</div>
</section>
<dl class="facts">${facts(report).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>
`;
}

function renderCounts({ counts }: Report): Markup {
  const names = ["broken", "inconclusive", "kept", "unobserved"] as const;
  const total = Math.max(
    1,
    names.reduce((sum, name) => sum + counts[name], 0),
  );
  return html`<div class="bar" aria-hidden="true">${names
    .filter((name) => counts[name] > 0)
    .map(
      (name) => html`<span class="${name}" style="flex-grow:${counts[name] / total}"></span>`,
    )}</div>
<ul class="counts">${names.map(
    (name) => html`<li class="${name}"><span aria-hidden="true">${MARKS[name]}</span>
<b>${counts[name]}</b> ${name}</li>`,
  )}</ul>`;
}

function facts(report: Report): [string, string][] {
  const { target, tool, profile, seed, startedAt, only, exitCode } = report;
  const variant = target.variant === null ? "" : `, variant ${target.variant}`;
  const labels = labelsText(report);
  const faster = rounded(1 / target.timeScale, 1);
  return [
    ["target", `${target.embedded ? "embedded service, " : ""}${target.baseUrl}${variant}`],
    ["run", `profile ${profile}, seed ${seed}, exit code ${exitCode}`],
    ["time", `${utc(startedAt)}, ${duration(tookMs(report))}`],
    ...(target.timeScale === 1
      ? []
      : [["clock of the service", `${faster} times as fast as real time`]]),
    ...(only === null ? [] : [["asked for", countText(only.length, "promise")] as const]),
    ...(labels === "" ? [] : [["labels", labels] as const]),
    ["spent", spentLine(report)],
    ["tools", `plumbline ${tool.plumbline}, k6 ${tool.k6 || "none"}, node ${tool.node}`],
  ].map(([name = "", value = ""]) => [name, value]);
}

/** "2026-11-21 18:05 UTC". */
export function utc(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}
