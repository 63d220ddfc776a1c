/** The report for a person at a terminal: the broken first, with evidence, then the rest. */

import { CACHE_HEADERS, REQUEST_ID_HEADERS } from "../contract/verdict.ts";
import {
  byGroup,
  byReason,
  MARKS,
  missed,
  notAskedFor,
  shortList,
  summaryLine,
  tookMs,
  traceLines,
  withVerdict,
} from "./by-verdict.ts";
import { evidenceRows, quoteFacts } from "./evidence.ts";
import { labelsText } from "./labels-text.ts";
import { measuredLines } from "./measured-lines.ts";
import type { JudgedPromise, Observation, Report } from "./model.ts";
import { spentLine } from "./spent-line.ts";
import { strengthText } from "./strength-text.ts";
import { cut, duration, oneLine, printable, wrap } from "./text.ts";

export interface TerminalOptions {
  /** Columns of the terminal. */
  width: number;
  color: boolean;
  /** True where no line has to fit a screen: then no text is shortened. */
  whole?: boolean;
  /** Whether each kept promise says what it rules out. */
  verbose?: boolean;
}

/** Ours: narrower than this nothing lines up, wider lines are hard to follow. */
const WIDTH_MIN = 40;
const WIDTH_MAX = 120;
/** Ours: enough of a body to recognise the answer; report.json has more. */
const BODY_LINES_MAX = 6;
/** Ours: one example convinces, a second one shows that it was no chance. */
const QUOTES_SHOWN_MAX = 2;
/** Ours: what differs from one to the next is seen in three; report.json has all. */
const ITEMS_SHOWN_MAX = 3;
/** Of a quoted answer's headers the ones that a reader looks for first. */
const HEADERS_SHOWN = [
  "retry-after",
  "location",
  "content-type",
  ...CACHE_HEADERS,
  ...REQUEST_ID_HEADERS,
];

const SGR = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

interface Sheet {
  width: number;
  verbose: boolean;
  /** Shortens a text to so many characters, where that is wanted. */
  cut(text: string, charsMax: number): string;
  bodyLinesMax: number;
  /** Of a list in the evidence. */
  itemsMax: number;
  paint(style: keyof typeof SGR, text: string): string;
}

export function renderTerminal(report: Report, options: TerminalOptions): string {
  const sheet: Sheet = {
    width: Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, options.width)),
    verbose: options.verbose ?? false,
    cut: options.whole === true ? (text) => text : cut,
    bodyLinesMax: options.whole === true ? Number.POSITIVE_INFINITY : BODY_LINES_MAX,
    itemsMax: options.whole === true ? Number.POSITIVE_INFINITY : ITEMS_SHOWN_MAX,
    paint: (style, text) => (options.color ? `\u001b[${SGR[style]}m${text}\u001b[0m` : text),
  };
  const blocks = [
    heading(report, sheet),
    ...section("BROKEN", "red", withVerdict(report, "broken"), sheet),
    ...section("INCONCLUSIVE", "yellow", withVerdict(report, "inconclusive"), sheet),
    ...unobservedSection(report, sheet),
    ...keptSection(withVerdict(report, "kept"), sheet),
    ...listSection("MEASURED", measured(report, sheet), sheet),
    ...listSection(
      "NOTES",
      report.notes.flatMap((note) => folded(`· ${note}`, sheet)),
      sheet,
    ),
    closing(report, sheet),
  ];
  return `${blocks.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function heading(report: Report, sheet: Sheet): string[] {
  const { target, tool } = report;
  const kind = target.embedded ? "embedded reference service" : "target";
  const variant = target.variant === null ? "" : `, variant ${target.variant}`;
  const scale = target.timeScale === 1 ? "" : `, time scale ${target.timeScale}`;
  const k6 = tool.k6 === "" ? "" : `, k6 ${tool.k6}`;
  const labels = labelsText(report);
  const run = `profile ${report.profile}, seed ${report.seed}, ${duration(tookMs(report))}${k6}`;
  return [
    sheet.paint("bold", `Plumbline ${tool.plumbline}`),
    ...wrap(`${kind} ${target.baseUrl}${variant}${scale}`, sheet.width),
    ...wrap(run, sheet.width),
    ...(labels === "" ? [] : wrap(`labels: ${labels}`, sheet.width)),
    ...wrap(spentLine(report), sheet.width),
  ];
}

function section(
  title: string,
  style: "red" | "yellow",
  promises: readonly JudgedPromise[],
  sheet: Sheet,
): string[][] {
  if (promises.length === 0) return [];
  const lines = promises.flatMap((each) => [...detail(each, style, sheet), ""]);
  return [[sheet.paint(style, `${title} (${promises.length})`), ...lines.slice(0, -1)]];
}

function detail(promise: JudgedPromise, style: "red" | "yellow", sheet: Sheet): string[] {
  const name = sheet.paint(style, `${MARKS[promise.verdict]} ${promise.id}`);
  return [
    `  ${name}  §${promise.section} ${oneLine(promise.title)}`,
    ...wrap(promise.summary, sheet.width - 4).map((line) => `    ${sheet.paint("bold", line)}`),
    ...evidenceLines(promise, sheet),
    ...promise.observations.slice(0, QUOTES_SHOWN_MAX).flatMap((each) => quoted(each, sheet)),
    ...more(promise.observations.length - QUOTES_SHOWN_MAX),
  ];
}

function more(count: number): string[] {
  return count > 0 ? [`    … and ${count} more in report.json`] : [];
}

function evidenceLines(promise: JudgedPromise, sheet: Sheet): string[] {
  const rows = evidenceRows(promise);
  const nameWidth = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.flatMap(({ name, items }) => {
    const label = name.padEnd(nameWidth);
    const room = Math.max(WIDTH_MIN / 2, sheet.width - nameWidth - 6);
    const texts = items.map((item) => sheet.cut(item, 3 * room));
    const shown = texts.slice(0, sheet.itemsMax).flatMap((item) => wrap(item, room));
    const left = items.length - sheet.itemsMax;
    const [first = "", ...rest] = [...shown, ...(left > 0 ? [`… and ${left} more`] : [])];
    const indent = " ".repeat(nameWidth + 6);
    return [`    ${sheet.paint("dim", label)}  ${first}`, ...rest.map((line) => indent + line)];
  });
}

function quoted(observation: Observation, sheet: Sheet): string[] {
  const room = sheet.width - 6;
  const headers = HEADERS_SHOWN.flatMap((name) => {
    const value = observation.headers?.[name];
    return value === undefined ? [] : [sheet.cut(oneLine(`${name}: ${value}`), room)];
  });
  const lines = [
    ...bodyLines(observation.requestBody, room, sheet).map((line) => `> ${line}`),
    ...headers,
    ...bodyLines(observation.body, room, sheet),
    ...traceLines(observation),
  ];
  return [
    ...wrap(
      `${observation.request} → ${observation.answer} (${quoteFacts(observation)})`,
      sheet.width - 4,
    ).map((line) => `    ${line}`),
    ...lines.map((line) => `      ${sheet.paint("dim", line)}`),
  ];
}

function bodyLines(body: string | undefined, room: number, { bodyLinesMax }: Sheet): string[] {
  if (body === undefined) return [];
  const lines = printable(body)
    .split("\n")
    .flatMap((line) => wrap(line, room))
    .filter((line) => line !== "");
  if (lines.length <= bodyLinesMax) return lines;
  return [...lines.slice(0, bodyLinesMax), "…"];
}

function unobservedSection(report: Report, sheet: Sheet): string[][] {
  const promises = withVerdict(report, "unobserved");
  if (promises.length === 0) return [];
  const unasked = notAskedFor(report);
  const lines = [...byReason(missed(report))].flatMap(([reason, group]) => [
    ...wrap(`${MARKS.unobserved} ${reason}`, sheet.width - 2).map((line) => `  ${line}`),
    ...wrap(shortList(group, report.promises), sheet.width - 6).map(
      (line) => `      ${sheet.paint("dim", line)}`,
    ),
  ]);
  const others = unasked === 0 ? [] : [`  ${MARKS.unobserved} ${unasked} were not asked for`];
  return [[sheet.paint("bold", `UNOBSERVED (${promises.length})`), ...lines, ...others]];
}

function keptSection(promises: readonly JudgedPromise[], sheet: Sheet): string[][] {
  if (promises.length === 0) return [];
  const nameWidth = Math.max(...promises.map((each) => each.id.length));
  const room = sheet.width - nameWidth - 6;
  const line = (each: JudgedPromise) => {
    const summary = sheet.cut(room < 20 ? "" : oneLine(each.summary), room);
    const mark = sheet.paint("green", MARKS.kept);
    return `  ${mark} ${each.id.padEnd(nameWidth)}  ${summary}`.trimEnd();
  };
  const lines = (each: JudgedPromise) => [line(each), ...strengthLines(each, sheet)];
  const groups = [...byGroup(promises).values()].map((group) => group.flatMap(lines).join("\n"));
  return [[sheet.paint("bold", `KEPT (${promises.length})`), groups.join("\n\n")]];
}

function strengthLines({ strength }: JudgedPromise, sheet: Sheet): string[] {
  if (!sheet.verbose || strength === null) return [];
  return wrap(strengthText(strength), sheet.width - 6).map((text) => {
    return `      ${sheet.paint("dim", text)}`;
  });
}

function listSection(title: string, lines: readonly string[], sheet: Sheet): string[][] {
  if (lines.length === 0) return [];
  return [[sheet.paint("bold", title), ...lines.map((line) => `  ${line}`)]];
}

function measured(report: Report, sheet: Sheet): string[] {
  const { rows, sentences } = measuredLines(report);
  const cutRows = rows.map((row) => sheet.cut(row, sheet.width - 2));
  return [...cutRows, ...sentences.flatMap((sentence) => folded(sentence, sheet))];
}

/** Lines of a text, those after the first indented. */
function folded(text: string, sheet: Sheet): string[] {
  return wrap(text, sheet.width - 4).map((line, index) => (index === 0 ? line : `  ${line}`));
}

function closing(report: Report, sheet: Sheet): string[] {
  const style = report.exitCode === 0 ? "green" : report.verdict === "fail" ? "red" : "yellow";
  const why = report.exitCode === 0 ? [] : wrap(report.verdictReason, sheet.width);
  return [...why, sheet.paint(style, summaryLine(report))];
}
