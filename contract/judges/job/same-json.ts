/** Compares two JSON values that should be one and the same, presigned addresses apart. */

import { isObject } from "../../decode/decoded.ts";

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
