/** One canary's row: its last runs as bars, the last result, where it stands now. */

import { escaped } from "../../report/text.ts";
import { servedWell } from "../outcome.ts";
import { dayTime, pauseText, spell } from "../spell.ts";
import type { CanaryView, Pause, RunView } from "./view.ts";
import { RUNS_SHOWN } from "./view.ts";

/** Ours: room for what the scale is, the longest bar, the verdict below, and each run. */
const LABEL_PX = 16;
const BAR_PX_MAX = 44;
const BAR_PX_MIN = 2;
const GROUND_PX = LABEL_PX + BAR_PX_MAX;
const FOOT_PX = 8;
const STEP_PX = 8;
const WIDTH_PX = 6;

export function renderCanary(canary: CanaryView, nowMs: number, pause: Pause | null): string {
  const { name, workerId, everyMs, deadlineMs, expected, runs } = canary;
  const last = runs.at(-1);
  const ends = expected === "completed" ? "" : `, expects ${expected}`;
  return [
    `<tr><th scope="row">${escaped(name)}`,
    `<small>worker ${escaped(workerId)}${ends}<br><span class="whole">every ${spell(everyMs)}, `,
    `deadline ${spell(deadlineMs)}</span></small></th>`,
    `<td>${runs.length === 0 ? "" : renderBars(canary, nowMs)}</td>`,
    `<td>${last === undefined ? "none yet" : renderResult(last, nowMs)}</td>`,
    `<td>${last === undefined ? "" : renderStays(last)}</td>`,
    `<td>${renderNow(canary, nowMs, pause)}</td></tr>`,
  ].join("");
}

function renderResult(run: RunView, nowMs: number): string {
  const { why, submittedAtMs, durationMs, jobId, violations, webhook, traceUrl } = run;
  const kind = kindOf(run);
  const said = violations.map((each) => `<br><span class="bad">${escaped(each)}</span>`).join("");
  const hook = webhook === null ? "" : `, webhook ${webhook}`;
  const job = jobId === null ? "" : `<br><code>${escaped(jobId)}</code>`;
  const trace = traceUrl === undefined ? "" : ` <a href="${escaped(traceUrl)}">trace</a>`;
  const detail = `${dayTime(submittedAtMs, nowMs)} UTC, ${spell(durationMs)}${hook}${job}${trace}`;
  return (
    `<span class="mark ${kind}">${wordOf(run)}</span> ${escaped(why)}` +
    `${said}<small>${detail}</small>`
  );
}

/** What a pill says must agree with its colour: a success that breaks a promise is none. */
function wordOf({ outcome, violations, webhook }: RunView): string {
  if (outcome !== "success") return outcome.replaceAll("_", " ");
  if (violations.length > 0) return "broken promise";
  return webhook === "missing" ? "webhook missing" : "success";
}

function renderStays({ stays }: RunView): string {
  const items = stays.map(
    ({ state, ms }) => `<li><i class="key ${state}"></i>${state} <b>${spell(ms)}</b></li>`,
  );
  return `<ul class="stays">${items.join("")}</ul>`;
}

function renderNow(canary: CanaryView, nowMs: number, pause: Pause | null): string {
  const { inFlight, oldestSubmittedAtMs } = canary;
  const flight =
    oldestSubmittedAtMs === null
      ? "none in flight"
      : `${inFlight} in flight, oldest ${spell(nowMs - oldestSubmittedAtMs)}`;
  const lines = [flight, ...nextLines(canary, nowMs, pause)];
  return `<ul class="now">${lines.map((line) => `<li>${line}</li>`).join("")}</ul>`;
}

/** A run that falls due in a pause is skipped: its time is not when the next one starts. */
function nextLines({ nextDueMs }: CanaryView, nowMs: number, pause: Pause | null): string[] {
  if (nextDueMs === null) return ["not scheduled"];
  if (pause !== null && nextDueMs < pause.untilMs) {
    return [`paused until ${dayTime(pause.untilMs, nowMs)} UTC`, pauseText(pause.askedMs)];
  }
  const seconds = Math.ceil(Math.max(0, nextDueMs - nowMs) / 1_000);
  return [`next in ${spell(seconds * 1_000)}`];
}

/** As high as its share of the longest shown, which is named, so that rows differ in scale. */
function renderBars({ runs, name }: CanaryView, nowMs: number): string {
  const width = RUNS_SHOWN * STEP_PX;
  const height = LABEL_PX + BAR_PX_MAX + FOOT_PX;
  const first = RUNS_SHOWN - runs.length;
  const longestMs = Math.max(...runs.map(shownMs), 1);
  const bars = runs.map((run, index) => {
    return renderBar(run, { x: (first + index) * STEP_PX, longestMs, nowMs });
  });
  const good = runs.filter((run) => kindOf(run) === "good").length;
  const label = `${escaped(name)}: ${good} of the last ${runs.length} runs were good`;
  const ground = `<line x1="0" x2="${width}" y1="${GROUND_PX}" y2="${GROUND_PX}"/>`;
  const top = `<text x="${width}" y="10">longest ${spell(longestMs)}</text>`;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg role="img" aria-label="${label}" ${size}>${top}${ground}${bars.join("")}</svg>`;
}

/**
 * The time in its states, as far as it is known: a job's end is seen with the next poll, later than
 * it came.
 */
function shownMs({ stays, durationMs }: RunView): number {
  return staysMs(stays) || durationMs;
}

function staysMs(stays: RunView["stays"]): number {
  return stays.reduce((total, { ms }) => total + ms, 0);
}

function renderBar(
  run: RunView,
  { x, longestMs, nowMs }: Record<"x" | "longestMs" | "nowMs", number>,
): string {
  const totalPx = Math.max(BAR_PX_MIN, (BAR_PX_MAX * shownMs(run)) / longestMs);
  const sum = staysMs(run.stays);
  let y = GROUND_PX;
  const parts = run.stays.map(({ state, ms }) => {
    const px = sum === 0 ? 0 : (totalPx * ms) / sum;
    y -= px;
    return rect(state, x, y, px);
  });
  const bar = sum === 0 ? rect("unseen", x, GROUND_PX - totalPx, totalPx) : parts.join("");
  return `<g><title>${escaped(titleOf(run, nowMs))}</title>${bar}${renderFoot(run, x)}</g>`;
}

/** A verdict is told by shape as well as colour: a dot is good, a whole block is not. */
function renderFoot(run: RunView, x: number): string {
  const kind = kindOf(run);
  if (kind !== "good") return rect(kind, x, GROUND_PX + 1, FOOT_PX - 1);
  return `<circle class="good" cx="${x + WIDTH_PX / 2}" cy="${GROUND_PX + 5}" r="1.5"/>`;
}

function rect(kind: string, x: number, y: number, height: number): string {
  const place = `x="${x}" y="${y.toFixed(1)}" width="${WIDTH_PX}" height="${height.toFixed(1)}"`;
  return `<rect class="${kind}" ${place}/>`;
}

function titleOf(run: RunView, nowMs: number): string {
  const stays = run.stays.map(({ state, ms }) => `${state} ${spell(ms)}`).join(", ");
  const { submittedAtMs, why, durationMs, jobId, violations } = run;
  const began = `${dayTime(submittedAtMs, nowMs)} UTC`;
  const when = `${began}, ${wordOf(run)} after ${spell(durationMs)}: ${why}`;
  return [when, stays, jobId ?? "", ...violations].filter((line) => line !== "").join("\n");
}

/** Outcomes that speak of neither success nor the service are drawn as open. */
function kindOf({ outcome, violations, webhook }: RunView): "good" | "bad" | "open" {
  if (violations.length > 0 || webhook === "missing") return "bad";
  const served = servedWell(outcome);
  return served === "unknown" ? "open" : served;
}

export function renderLegend(): string {
  const states = [
    '<li><i class="key queued"></i>accepted, queued</li>',
    '<li><i class="key starting"></i>starting</li>',
    '<li><i class="key running"></i>running</li>',
  ];
  const marks = [
    '<li><i class="key dot good"></i>good</li>',
    '<li><i class="key bad"></i>failed, or broke a promise</li>',
    '<li><i class="key open"></i>no verdict; as a bar: no state was seen</li>',
  ];
  return `<ul class="legend">${[...states, ...marks].join("")}</ul>`;
}
