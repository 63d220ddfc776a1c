/** Marks in the inputs of jobs: by them a result, or a job that nobody accepted, is recognised. */

import type { WorkerPart } from "./run-plan.ts";
import type { Json } from "./verdict.ts";

/** Characters of chance in a mark. */
export const MARK_CHARS = 16;

const MARK = new RegExp(`\\bplumbline-([A-Za-z0-9]{${MARK_CHARS}})\\b`, "g");

export function markOf(token: string): string {
  return `plumbline-${token}`;
}

/** The part's input with the mark in its text field; as it is where it names none. */
export function markedInput({ input, marker }: WorkerPart, mark: string): Record<string, Json> {
  return marker === undefined ? { ...input } : { ...input, [marker]: mark };
}

/** Every mark in a text of any shape, each once. */
export function marksIn(text: string): readonly string[] {
  return [...new Set(text.match(MARK) ?? [])];
}
