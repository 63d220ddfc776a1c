/** Values that a schema of plain keywords accepts, to stand beside one that is wrong. */

import type { JsonObject } from "../../../contract/decode/decoded.ts";
import { isCount, isObject } from "../../../contract/decode/decoded.ts";
import type { Json } from "../../../contract/verdict.ts";
import { matchingText } from "./matching-text.ts";

/** Ours: a longer one is refused for the size of its body. */
export const TEXT_LENGTH_MAX = 10_000;
export const ITEMS_MAX = 1_000;

/** Keywords that say nothing of a value, and by type those that samples keep to. */
const SILENT = ["type", "title", "description", "default", "examples", "enum"];
const KEPT: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  integer: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  boolean: [],
  array: ["items", "minItems", "maxItems", "uniqueItems"],
  object: ["properties", "required", "additionalProperties"],
};

/** Null where the schema has bounds of another kind. */
export function sample(schema: unknown): Json {
  if (!isObject(schema) || typeof schema.type !== "string") return null;
  const kept = KEPT[schema.type];
  const isPlain = (name: string) => SILENT.includes(name) || kept?.includes(name);
  if (kept === undefined || !Object.keys(schema).every(isPlain)) return null;
  const [first] = Array.isArray(schema.enum) ? (schema.enum as readonly Json[]) : [];
  return first ?? ofType(schema);
}

function ofType(schema: JsonObject): Json {
  switch (schema.type) {
    case "string":
      return sampleText(schema);
    case "boolean":
      return true;
    case "array":
      return samples(schema.items, isCount(schema.minItems) ? schema.minItems : 0, schema);
    case "object":
      return sampleMembers(schema) as Json;
    default:
      return sampleNumber(schema);
  }
}

/** So many elements, no two of them equal where they must not be; null where none are known. */
export function samples(items: unknown, length: number, { uniqueItems }: JsonObject): Json {
  if (length === 0) return [];
  const element = sample(items);
  if (element === null || length > ITEMS_MAX) return null;
  if (uniqueItems !== true || length === 1) return Array.from({ length }, () => element);
  return isObject(items) && !("enum" in items) ? distinct(items, element, length) : null;
}

function distinct(items: JsonObject, element: Json, length: number): Json {
  const { maxLength, pattern, maximum, exclusiveMaximum, multipleOf } = items;
  if (typeof element === "string") {
    if (pattern !== undefined) return null;
    const width = String(length - 1).length;
    const most = isCount(maxLength) ? maxLength : TEXT_LENGTH_MAX;
    const tail = (at: number) => String(at).padStart(width, "0");
    if (element.length < width || most < width) return null;
    return Array.from({ length }, (_, at) => element.slice(0, -width) + tail(at));
  }
  const isFree = [maximum, exclusiveMaximum, multipleOf].every((bound) => bound === undefined);
  if (typeof element !== "number" || !isFree) return null;
  return Array.from({ length }, (_, at) => element + at);
}

/** An object with the members that it needs; null where one of them has no sample. */
export function sampleMembers({ properties, required }: JsonObject): JsonObject | null {
  const members = isObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  const values = needed.map((name) => [name, sample(members[name])] as const);
  return values.some(([, value]) => value === null) ? null : Object.fromEntries(values);
}

function sampleText({ minLength, maxLength, pattern }: JsonObject): Json {
  const least = isCount(minLength) ? minLength : 0;
  const most = isCount(maxLength) ? maxLength : TEXT_LENGTH_MAX;
  if (least > TEXT_LENGTH_MAX || least > most) return null;
  const text = "plumbline".padEnd(least, "-").slice(0, most);
  if (pattern === undefined) return text;
  const expression = typeof pattern === "string" ? expressionOf(pattern) : null;
  if (typeof pattern !== "string" || expression === null) return null;
  const known = [text, ...plainTexts(least, most), matchingText(pattern) ?? ""];
  const fits = (each: string) => each.length >= least && each.length <= most;
  return known.find((each) => fits(each) && expression.test(each)) ?? null;
}

/** Ours: codes of countries, currencies and places, which patterns describe, are no longer. */
const CODE_LENGTH_MAX = 8;

/** Texts of one character, the shortest first, of which a pattern may match some. */
export function plainTexts(least: number, most: number): readonly string[] {
  const shortest = Math.max(1, least);
  const longest = Math.max(shortest, Math.min(most, CODE_LENGTH_MAX));
  const lengths = Array.from({ length: longest - shortest + 1 }, (_, at) => shortest + at);
  return lengths.flatMap((length) => ["~", "!", "x", "0", "Z"].map((char) => char.repeat(length)));
}

/**
 * What k6 2.2 runs by backtracking, without an end for some texts and no way to stop it: to look
 * around, or back, and counts of more than a thousand. It runs all else in linear time (RE2).
 */
const LOOKS_AROUND = /\(\?<?[=!]|\\[1-9k]/;
const COUNTS = /\d+(?=,?\})/g;
const COUNTS_MAX = 1_000;

/** Null for a pattern that is none here, or may take too long. */
export function expressionOf(pattern: string): RegExp | null {
  const counted = (pattern.match(COUNTS) ?? []).map((each) => Math.max(1, Number(each)));
  const times = counted.reduce((product, each) => product * each, 1);
  if (LOOKS_AROUND.test(pattern) || times > COUNTS_MAX) return null;
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

function sampleNumber(schema: JsonObject): Json {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = isNumber(multipleOf) && multipleOf > 0 ? multipleOf : 1;
  const least = [
    isNumber(minimum) ? Math.ceil(minimum / step) * step : null,
    isNumber(exclusiveMinimum) ? (Math.floor(exclusiveMinimum / step) + 1) * step : null,
  ].filter(isNumber);
  const most = [
    isNumber(maximum) ? Math.floor(maximum / step) * step : null,
    isNumber(exclusiveMaximum) ? (Math.ceil(exclusiveMaximum / step) - 1) * step : null,
  ].filter(isNumber);
  const low = least.length > 0 ? Math.max(...least) : Math.min(step, ...most);
  return most.some((bound) => low > bound) ? null : low;
}

export function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}
