/** How deep a text of JSON nests: without a bound it overflows the stack of whoever walks it. */

/**
 * Levels that a body may nest. Ours: no honest answer has as many, and a tenth of what the walks
 * of k6's engine take. RFC 8259 §9 lets a reader set such a limit.
 */
export const NESTING_MAX = 500;

const ESCAPED = /\\./gs;

/** Characters of UTF-16. */
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/** The last text of many parts that was found not to: who asks on receipt asks again to read it. */
let lastRead = "";

/** Whether the text nests deeper. Linear, and next to nothing for what has few parts. */
export function nestsTooDeep(text: string): boolean {
  if (text === lastRead || !isOfMore(text)) return false;
  const unescaped = text.includes("\\") ? text.replace(ESCAPED, "") : text;
  const parts = unescaped.split('"');
  let depth = 0;
  // Every other part is a string. k6's engine takes its time for each character.
  for (let at = 0; at < parts.length; at += 2) {
    const part = parts[at] ?? "";
    if (part === ":" || part === ",") continue;
    for (let place = 0; place < part.length; place += 1) {
      const char = part.charCodeAt(place);
      if (OPENING.includes(char)) depth += 1;
      else if (CLOSING.includes(char)) depth -= 1;
      if (depth > NESTING_MAX) return true;
    }
  }
  lastRead = text;
  return false;
}

/** Whether it opens so many lists and objects at all, in strings or out of them. */
function isOfMore(text: string): boolean {
  if (text.length <= NESTING_MAX) return false;
  return text.split("[").length + text.split("{").length - 2 > NESTING_MAX;
}
