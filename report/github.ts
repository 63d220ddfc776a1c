/** The report as GitHub Actions wants it: annotations on stderr, and a step summary in a file. */

import type { Verdict } from "../contract/verdict.ts";
import { baselineEntries } from "./baseline.ts";
import { withVerdict } from "./by-verdict.ts";
import type { Report } from "./model.ts";
import { renderSummary } from "./summary.ts";
import { cut, oneLine } from "./text.ts";

/** GitHub shows 10 errors and 10 warnings of a step, and drops the rest without a word. */
const ANNOTATIONS_MAX = 10;
/** Ours: a sentence; the report has the evidence. */
const MESSAGE_CHARS_MAX = 500;
/** GitHub refuses a larger step summary: 1 MiB. */
const SUMMARY_BYTES_MAX = 1_000_000;

/**
 * Workflow commands, a line each: broken promises as errors, doubts and regressions as warnings.
 * Source: GitHub, "Workflow commands for GitHub Actions".
 */
export function githubAnnotations(report: Report): string[] {
  const lines = (verdict: Verdict, kind: "error" | "warning") =>
    withVerdict(report, verdict).map(({ id, summary }) => line(kind, id, summary));
  const broken = lines("broken", "error");
  const doubts = lines("inconclusive", "warning");
  const worse = baselineEntries(report)
    .filter(({ verdict }) => verdict === "worse")
    .map(({ text, fails }) => line(fails ? "error" : "warning", "baseline", text));
  const errors = [...broken, ...worse.filter((each) => each.startsWith("::error"))];
  const warnings = [...doubts, ...worse.filter((each) => each.startsWith("::warning"))];
  return [...bounded("error", errors), ...bounded("warning", warnings)];
}

function bounded(kind: "error" | "warning", lines: readonly string[]): string[] {
  if (lines.length <= ANNOTATIONS_MAX) return [...lines];
  const more = lines.length - ANNOTATIONS_MAX + 1;
  return [
    ...lines.slice(0, ANNOTATIONS_MAX - 1),
    line(kind, "plumbline", `${more} more are in the report`),
  ];
}

function line(kind: "error" | "warning", title: string, text: string): string {
  const message = escaped(cut(oneLine(text), MESSAGE_CHARS_MAX));
  return `::${kind} title=${escapedProperty(title)}::${message}`;
}

/** As actions/toolkit escapes them. */
function escaped(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapedProperty(text: string): string {
  return escaped(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

/**
 * Text in which no line is taken for a workflow command: a quoted answer could otherwise steer the
 * runner. The token must be unguessable.
 */
export function withoutCommands(text: string, token: string): string {
  return `::stop-commands::${token}\n${text}${text.endsWith("\n") ? "" : "\n"}::${token}::\n`;
}

/** summary.md, or its beginning where it is larger than GitHub takes. */
export function stepSummary(report: Report): string {
  const whole = Buffer.from(renderSummary(report));
  if (whole.byteLength <= SUMMARY_BYTES_MAX) return whole.toString();
  const kept = whole.subarray(0, SUMMARY_BYTES_MAX).toString();
  return `${kept.slice(0, kept.lastIndexOf("\n"))}\n\nCut here; summary.md has the rest.\n`;
}
