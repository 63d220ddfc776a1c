/** Small text tools that the renderers share: cleaning, cutting, wrapping, naming quantities. */

import { rounded } from "../contract/numbers/figures.ts";
import type { Json } from "../contract/verdict.ts";

/**
 * Without control characters: an answer's bytes could otherwise steer the terminal that shows
 * them. Line breaks and tabs stay; what XML cannot carry goes as well.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  return text.toWellFormed().replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g, "");
}

/** A value as a file, or a program that reads stdout, is given it. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export function oneLine(text: string): string {
  return printable(text).replace(/\s+/g, " ").trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text within HTML or XML, also in the value of an attribute, without control characters. */
export function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Text in which nothing is Markdown or HTML: an answer must not format the page that quotes it. */
export function plainMarkdown(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]|~]/g, "\\$&")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

/** Cells are Markdown, and hold no line breaks and no `|` of their own. */
export function markdownTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), `|${"---|".repeat(headings.length)}`, ...rows.map(line)].join("\n");
}

/** Rows with their columns aligned. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

export function cut(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : `${text.slice(0, Math.max(0, charsMax - 1))}…`;
}

/** Lines of at most `width` characters, broken at spaces; a longer word is split. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text)
    .split(" ")
    .flatMap((each) => pieces(each, width))) {
    if (line === "") line = word;
    else if (line.length + 1 + word.length <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  for (let at = 0; at < word.length; at += width) parts.push(word.slice(at, at + width));
  return parts.length === 0 ? [""] : parts;
}

/** Decimals of so many milliseconds: who reads of 397 ms asks for no microseconds. */
function digitsOf(ms: number): number {
  if (ms >= 100) return 0;
  return ms >= 10 ? 1 : 3;
}

/** 950 ms, 4.2 s, 5 min, 2 min 5 s, 2 h 5 min. */
export function duration(ms: number): string {
  if (Math.abs(ms) < 999.5) return `${rounded(ms, digitsOf(Math.abs(ms)))} ms`;
  const tenths = Math.round(ms / 100) / 10;
  if (Math.abs(tenths) < 60) return `${tenths} s`;
  const seconds = Math.round(ms / 1_000);
  if (Math.abs(seconds) < 3_600) return inTwoUnits(seconds, "min", "s");
  return inTwoUnits(Math.round(seconds / 60), "h", "min");
}

/** Sixty of the smaller make one of the larger. */
function inTwoUnits(smaller: number, largeUnit: string, smallUnit: string): string {
  const whole = `${Math.trunc(smaller / 60)} ${largeUnit}`;
  const rest = Math.abs(smaller % 60);
  return rest === 0 ? whole : `${whole} ${rest} ${smallUnit}`;
}

/** Ours: three digits; the intervals are wider than the fourth. */
export function figure(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** A piece of evidence for a person: times by their unit, lists and fields spelled out. */
export function evidenceText(name: string, value: Json): string {
  if (Array.isArray(value)) return evidenceItems(name, value).join("; ");
  if (typeof value === "number" && name.endsWith("Ms")) return duration(value);
  if (typeof value === "number") return String(rounded(value, 3));
  if (typeof value === "string") return oneLine(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (COUNTED.includes(name)) return countedText(name, Object.entries(value));
  return Object.entries(value)
    .map(([field, each]) => {
      // A count beside a name that ends in a number, as of attempts, would read as one number.
      const label = `${evidenceName(field)}${typeof each === "number" ? ":" : ""}`;
      return `${label} ${evidenceText(field, each)}`;
    })
    .join(", ");
}

/** Evidence whose fields are no words of ours, but the service's or the target file's. */
const COUNTED: readonly string[] = ["jobs", "workers", "paths"];

/** How often each comes, by names as they are written; of jobs that come once each, the names. */
function countedText(what: string, entries: readonly (readonly [string, Json])[]): string {
  const isOnce = what === "jobs" && entries.every(([, count]) => count === 1);
  const texts = entries.map(([name, count]) =>
    isOnce ? oneLine(name) : `${oneLine(name)}: ${evidenceText(name, count)}`,
  );
  return texts.join(", ");
}

/** Ours: a date and a unit; what is no longer is a figure or a name, and reads well in a row. */
const FIGURE_CHARS_MAX = 30;

/** What a list holds, each in a few words; figures, and what is no list, as one item. */
export function evidenceItems(name: string, value: Json): readonly string[] {
  if (!Array.isArray(value)) return [evidenceText(name, value)];
  if (value.length === 0) return ["none"];
  const texts = value.map((each: Json) => evidenceText(name, each));
  // Sentences and objects repeat themselves; of numbers each one counts.
  const isPlain = value.every((each: Json) => typeof each === "number");
  if (isPlain) return [texts.join(", ")];
  const items = [...new Set(texts)];
  const isShort = items.every((item) => item.length <= FIGURE_CHARS_MAX);
  return isShort ? [items.join("; ")] : items;
}

/** `expectedMs` -> `expected`, `burstExcess` -> `burst excess`. */
export function evidenceName(name: string): string {
  const words = oneLine(name)
    .replace(/Ms$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2");
  return words.toLowerCase();
}
