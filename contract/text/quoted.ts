/** A value as JSON in a sentence: what a terminal leaves out is escaped, what is long is cut. */

/** Ours: a mark with its tail, each character twice encoded, is shorter. */
const CHARS_MAX = 120;

/** Controls of Latin-1, as bytes of UTF-8 turn into, and halves of a pair. */
const UNSEEN = /[\u007f-\u009f]|\p{Surrogate}/gu;

export function quoted(value: unknown): string {
  const text = (JSON.stringify(value) ?? "nothing").replace(UNSEEN, escaped);
  return text.length <= CHARS_MAX ? text : `${text.slice(0, CHARS_MAX)}...`;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
