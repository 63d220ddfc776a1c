/** Marks in the inputs of jobs: by them a result, or a job that nobody accepted, is recognised. */

import type { WorkerPart } from "./run-plan.ts";
import type { Json } from "./verdict.ts";

/** Characters of chance in a mark. */
export const MARK_CHARS = 16;

const MARK = new RegExp(`\\bplumbline-([A-Za-z0-9]{${MARK_CHARS}})\\b`, "g");

/**
 * Behind a mark, where its field takes it: characters of two, three and four bytes of UTF-8,
 * between two of ASCII that show whether it came back to its end. Ours: one of them is in Latin-1,
 * and none has another normal form, which a worker may choose.
 */
export const MARK_TAIL = "[øж東😀]";

/** As other formats spell what is not ASCII: JSON in a text, HTML, an address. */
const ESCAPE = /[\\&%]/;

/** Behind the first tail of a long text, again and again: 22 bytes, and 15 characters. */
const LONG_UNIT = `plumbline${MARK_TAIL}`;

/**
 * Bytes behind the mark of a long text, at the most. Ours: more than a kilobyte of characters,
 * beyond which storage and gateways cut, and too few for a body to be refused for its size.
 */
export const LONG_TEXT_BYTES = 1_900;

const LONG_UNITS = 85;

/** Ours: one mark in six, by its last character. */
const LONG_MARK = /[06CIOUagmsy]$/;

/** Ours: a worker may shorten what it quotes to a headline or a paragraph, and hardly to a page. */
const CUT_CHARS_MIN = 512;

export function markOf(token: string): string {
  return `plumbline-${token}`;
}

/** The part's input with the mark in its text field; as it is where it names none. */
export function markedInput(part: WorkerPart, mark: string): Record<string, Json> {
  const { input, marker, markTail } = part;
  if (marker === undefined) return { ...input };
  return { ...input, [marker]: markTail ? `${mark}${MARK_TAIL}` : mark };
}

/**
 * The same, with a long text for one mark in six. Only for single jobs: who refuses or fails long
 * texts, without a schema that says so, is not to do so with a part of a load.
 */
export function mayBeLongInput(part: WorkerPart, mark: string): Record<string, Json> {
  const { input, marker, markLong } = part;
  const isLong = marker !== undefined && markLong === true && LONG_MARK.test(mark);
  return isLong ? { ...input, [marker]: longText(mark) } : markedInput(part, mark);
}

/** The mark with its tail, and more behind it. */
export function longText(mark: string): string {
  return `${mark}${MARK_TAIL}${LONG_UNIT.repeat(LONG_UNITS)}`;
}

/**
 * How many characters of a long text came back, where the text ends there, or goes on behind a
 * character that is broken. null where it came whole, or otherwise than it was sent.
 */
export function cutAt(value: unknown, mark: string): number | null {
  const long = longText(mark);
  const texts = textsIn(value).texts.filter((text) => text.includes(mark));
  if (texts.some((text) => text.includes(long))) return null;
  for (const text of texts) {
    const came = text.slice(text.indexOf(mark));
    const chars = commonChars(came, long);
    const rest = came.slice(chars);
    const isCut = CUT_OFF.test(rest) ? chars >= CUT_CHARS_MIN : BROKEN_CHAR.test(rest);
    if (isCut && chars > mark.length + MARK_TAIL.length) return chars;
  }
  return null;
}

/** What readers of bytes make of a part of a character, and half of a pair. */
const BROKEN_CHAR = /^[\ufffd\ud800-\udfff]/;
/** As little as is left of the last character. */
const CUT_OFF = /^[\ufffd\ud800-\udfff]{0,3}$/;
const HALF_PAIR = /[\ud800-\udbff]$/;

/** UTF-16 units that both begin with, without half of a pair. */
function commonChars(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return HALF_PAIR.test(a.slice(0, at)) ? at - 1 : at;
}

/**
 * The mark with what came between both ends of its tail, in place of what was sent. null where it
 * came whole, too, or as a worker may leave it: cut, without the ends, or escaped.
 */
export function changedTail(value: unknown, mark: string): string | null {
  const texts = textsIn(value).texts.filter((text) => text.includes(`${mark}[`));
  if (texts.some((text) => text.includes(`${mark}${MARK_TAIL}`))) return null;
  for (const text of texts) {
    const from = text.indexOf(`${mark}[`);
    const end = text.indexOf("]", from);
    const came = text.slice(from, end + 1);
    if (end !== -1 && !ESCAPE.test(came)) return came;
  }
  return null;
}

/** Without recursion, and without a copy: a result may be deep, and long. */
function textsIn(value: unknown): { names: readonly string[]; texts: readonly string[] } {
  const names: string[] = [];
  const texts: string[] = [];
  const left = [value];
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === "string") texts.push(each);
    if (typeof each !== "object" || each === null) continue;
    for (const [name, inner] of Object.entries(each)) {
      if (!Array.isArray(each)) names.push(name);
      left.push(inner);
    }
  }
  return { names, texts };
}

/** Every mark in a value's texts and in the names of its members, each once. */
export function marksWithin(value: unknown): readonly string[] {
  const { names, texts } = textsIn(value);
  return [...new Set([...names, ...texts].flatMap(marksIn))];
}

/** Every mark in a text of any shape, each once. */
export function marksIn(text: string): readonly string[] {
  return [...new Set(text.match(MARK) ?? [])];
}
