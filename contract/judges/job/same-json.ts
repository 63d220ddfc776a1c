/** Compares two JSON values that should be one and the same, presigned addresses apart. */

import type { JsonObject } from "../../decode/decoded.ts";
import { isObject } from "../../decode/decoded.ts";
import { quoted } from "../../text/quoted.ts";

/** Ours: no honest result is nested deeper, and a judge must not run out of stack. */
const DEPTH_MAX = 100;

const ADDRESS = /^https?:\/\//;
/** Up to what ends an address in prose, Markdown, HTML and JSON. */
const ADDRESSES_WITHIN = /https?:\/\/[^\s"'<>()[\]\\]+/g;
/** The query of an address that is signed, though it may have no scheme and no host. */
const SIGNED_QUERIES = /\?[^\s"'<>()[\]\\?]*\bsig(nature)?=[^\s"'<>()[\]\\?]*/gi;
const SIGNED = new RegExp(SIGNED_QUERIES.source, "i");
/** What tells of a signed address beside it: until when or how long it holds, its signature. */
const COMPANION = /expir|valid_?(until|for)|(^|_)ttl(_|$)|signature/i;

/**
 * Whether two parsed JSON values are equal, in any order of names. Web addresses count as equal,
 * alone or within a text, and so does what is told of them beside them: those of files are signed
 * anew for each answer. Spec §2.7.
 */
export function isSameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b || depth > DEPTH_MAX) return true;
  if (typeof a === "string" && typeof b === "string") return isSameText(a, b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, i) => isSameJson(each, b[i], depth + 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const differs = (name: string) => {
    return !Object.hasOwn(b, name) || !isSameJson(a[name], b[name], depth + 1);
  };
  const more = Object.keys(b).filter((name) => !Object.hasOwn(a, name));
  return [...Object.keys(a).filter(differs), ...more].every((name) => isCompanion(name, a, b));
}

function isSameText(a: string, b: string): boolean {
  if (ADDRESS.test(a) && ADDRESS.test(b)) return true;
  const [one, other] = [a, b].map(withoutSignatures);
  return one === other;
}

function withoutSignatures(text: string): string {
  return text.replace(ADDRESSES_WITHIN, "http://").replace(SIGNED_QUERIES, "?");
}

function isCompanion(name: string, a: JsonObject, b: JsonObject): boolean {
  return COMPANION.test(name) && hasAddress(a) && hasAddress(b);
}

function hasAddress(value: JsonObject): boolean {
  return Object.values(value).some((each) => {
    return typeof each === "string" && (ADDRESS.test(each) || SIGNED.test(each));
  });
}

/** Where two values first differ that should be the same: "data.text is 1, there 2". */
export function differenceOf(a: unknown, b: unknown, path: readonly string[] = []): string | null {
  if (isSameJson(a, b)) return null;
  if (isParent(a) && isParent(b)) {
    const name = Object.keys(a).find((each) => {
      return Object.hasOwn(b, each) && !isSameJson(a[each], b[each]) && !isCompanion(each, a, b);
    });
    return name === undefined ? null : differenceOf(a[name], b[name], [...path, name]);
  }
  if (path.length === 0 || isParent(a) || isParent(b)) return null;
  return `${path.join(".")} is ${quoted(a)}, there ${quoted(b)}`;
}

function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
