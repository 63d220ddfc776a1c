/** JSON in the spellings that it may have: spaces, escapes, and members in any order. RFC 8259. */

import { isObject } from "../contract/decode/decoded.ts";
import type { Choices } from "./choices.ts";
import type { Random } from "./random.ts";

export type JsonWriter = (value: unknown) => string;

export const CONTENT_TYPES = {
  charset: "application/json; charset=utf-8",
  plain: "application/json",
  vendor: "application/vnd.workers+json",
} as const satisfies Readonly<Record<Choices["contentType"], string>>;

const STYLES: Readonly<Record<Choices["jsonStyle"], JsonWriter>> = {
  compact: (value) => JSON.stringify(value),
  pretty: (value) => JSON.stringify(value, null, 2),
  escaped: (value) => JSON.stringify(value).replace(ESCAPED, escaped),
};

/** Slashes, as PHP writes them, and what is not ASCII, as Python does. */
const ESCAPED = /[/\u0080-\uffff]/g;

function escaped(char: string): string {
  if (char === "/") return "\\/";
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export function jsonWriter(
  { jsonStyle, fieldOrder }: Pick<Choices, "jsonStyle" | "fieldOrder">,
  random: Random,
): JsonWriter {
  const write = STYLES[jsonStyle];
  return fieldOrder === "fixed" ? write : (value) => write(turned(value, random));
}

/** The same members, begun with another one: of each object that can be made member by member. */
function turned(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((each) => turned(each, random));
  if (!isObject(value) || Object.hasOwn(value, "__proto__")) return value;
  const names = Object.keys(value);
  const members = names.map((name) => turned(value[name], random));
  const first = Math.floor(random() * names.length);
  const begun: Record<string, unknown> = {};
  for (let count = 0; count < names.length; count += 1) {
    const at = (first + count) % names.length;
    begun[names[at] ?? ""] = members[at];
  }
  return begun;
}
