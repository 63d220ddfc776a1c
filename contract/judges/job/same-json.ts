/** Compares two JSON values that should be one and the same, presigned addresses apart. */

import { isObject } from "../../decode/decoded.ts";
import { quoted } from "../../quoted.ts";

/** Ours: no honest result is nested deeper, and a judge must not run out of stack. */
const DEPTH_MAX = 100;

const ADDRESS = /^https?:\/\//;

/**
 * Whether two parsed JSON values are equal, in any order of names. Two web addresses count as
 * equal: those of files are signed anew for each answer. Spec §2.7.
 */
export function isSameJson(a: unknown, b: unknown, depth = 0): boolean {
  if (a === b || depth > DEPTH_MAX) return true;
  if (typeof a === "string" && typeof b === "string") return ADDRESS.test(a) && ADDRESS.test(b);
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((each, i) => isSameJson(each, b[i], depth + 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name], b[name], depth + 1));
}

/** Where two values first differ that should be the same: "data.text is 1, there 2". */
export function differenceOf(a: unknown, b: unknown, path: readonly string[] = []): string | null {
  if (isSameJson(a, b)) return null;
  if (isParent(a) && isParent(b)) {
    const name = Object.keys(a).find((each) => {
      return Object.hasOwn(b, each) && !isSameJson(a[each], b[each]);
    });
    return name === undefined ? null : differenceOf(a[name], b[name], [...path, name]);
  }
  if (path.length === 0 || isParent(a) || isParent(b)) return null;
  return `${path.join(".")} is ${quoted(a)}, there ${quoted(b)}`;
}

function isParent(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
