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
