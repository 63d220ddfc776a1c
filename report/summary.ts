/** The report as GitHub-flavoured Markdown, for the step summary of a CI run. */

import {
  byReason,
  contentLines,
  missed,
  notAskedFor,
  shortList,
  summaryLine,
  tookMs,
  verdictWord,
  withVerdict,
} from "./by-verdict.ts";
import { evidenceRows, quoteFacts } from "./evidence.ts";
import { labelsText } from "./labels-text.ts";
import { measuredLines } from "./measured-lines.ts";
import type { JudgedPromise, Observation, Report } from "./model.ts";
import { spentLine } from "./spent-line.ts";
import {
  cut,
  duration,
  markdownTable,
  oneLine,
  plainMarkdown as plain,
  printable,
} from "./text.ts";

/** Ours: a summary is read, not searched; report.json has the rest. */
const CELL_CHARS_MAX = 300;
const BODY_CHARS_MAX = 800;

export function renderSummary(report: Report): string {
  const measured = measuredLines(report);
  const blocks = [
    `# Plumbline: ${verdictWord(report)}`,
    `${plain(summaryLine(report))}`,
    ...(report.exitCode === 0 ? [] : [plain(report.verdictReason)]),
    ...(report.partial ? ["**Partial: the run was interrupted before its end.**"] : []),
    runLine(report),
    ...details("Broken", withVerdict(report, "broken")),
    ...details("Inconclusive", withVerdict(report, "inconclusive")),
    ...unobserved(report),
    ...kept(withVerdict(report, "kept")),
    ...list("Measured", [...measured.rows, ...measured.sentences]),
    ...list("Notes", report.notes),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function runLine(report: Report): string {
  const { target, tool } = report;
  const where = target.embedded ? "embedded reference service" : plain(target.baseUrl);
  const variant = target.variant === null ? "" : `, variant ${target.variant}`;
  const took = duration(tookMs(report));
  const labels = labelsText(report);
  return (
    `${where}${variant}; profile ${report.profile}, seed ${report.seed}, ${took}; ` +
    `plumbline ${plain(tool.plumbline)}, k6 ${plain(tool.k6)}, node ${plain(tool.node)}; ` +
    plain(spentLine(report)) +
    (labels === "" ? "" : `; ${plain(labels)}`)
  );
}

function details(title: string, promises: readonly JudgedPromise[]): string[] {
  if (promises.length === 0) return [];
  return [`## ${title}`, ...promises.flatMap(detail)];
}

function detail(promise: JudgedPromise): string[] {
  const rows = evidenceRows(promise).map(({ name, items }) => [cell(name), cell(items.join("; "))]);
  return [
    `### ${promise.id}`,
    `§${promise.section} ${plain(promise.title)}: **${plain(promise.summary)}**`,
    ...(rows.length === 0 ? [] : [markdownTable(["evidence", ""], rows)]),
    ...promise.observations.map(quoted),
  ];
}

function quoted(observation: Observation): string {
  const body =
    observation.body === undefined ? {} : { body: cut(observation.body, BODY_CHARS_MAX) };
  const text = [
    `${observation.request} -> ${observation.answer} (${quoteFacts(observation)})`,
    ...contentLines({ ...observation, ...body }),
  ].join("\n");
  return fenced(printable(text));
}

/** A fence longer than any run of backticks inside, so that no answer can end it. */
function fenced(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}text\n${text}\n${fence}`;
}

function unobserved(report: Report): string[] {
  const promises = withVerdict(report, "unobserved");
  if (promises.length === 0) return [];
  const unasked = notAskedFor(report);
  const rows = [
    ...[...byReason(missed(report))].map(([reason, group]) => [
      cell(reason),
      plain(shortList(group, report.promises)),
    ]),
    ...(unasked === 0 ? [] : [["not asked for", `${unasked} others`]]),
  ];
  const table = markdownTable(["reason", "promises"], rows);
  return [folded(`${promises.length} unobserved`, table)];
}

function kept(promises: readonly JudgedPromise[]): string[] {
  if (promises.length === 0) return [];
  const rows = promises.map((each) => [each.id, cell(each.summary)]);
  return [folded(`${promises.length} kept`, markdownTable(["promise", "seen"], rows))];
}

function folded(title: string, table: string): string {
  return `<details><summary>${title}</summary>\n\n${table}\n\n</details>`;
}

function list(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  return [`## ${title}`, items.map((item) => `- ${plain(item)}`).join("\n")];
}

function cell(text: string): string {
  return plain(cut(oneLine(text), CELL_CHARS_MAX));
}
