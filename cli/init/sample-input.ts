/** Makes an input out of a worker's schema: its required fields, with the plainest values. */

import { isObject } from "../../contract/decode/decoded.ts";
import type { Json } from "../../contract/verdict.ts";

type Schema = Readonly<Record<string, unknown>>;
export type Input = Readonly<Record<string, Json>>;

/** Ours: schemas that nest deeper are made for people, who know what to write. */
const DEPTH_MAX = 5;
/** Ours: longer texts and lists are no plain ones, and a schema may ask for any length. */
const CHARS_MAX = 10_000;
const ITEMS_MAX = 10;
const TEXT = "hello";
const BY_FORMAT: Readonly<Record<string, string>> = {
  uri: "https://example.com/",
  url: "https://example.com/",
  email: "somebody@example.com",
  "date-time": "2026-01-01T00:00:00Z",
  date: "2026-01-01",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** null where nothing plain fits; the schema may want more of it than is looked at here. */
export function plainInput(schema: Schema, depth = 0): Input | null {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  const entries = required.map((name) => {
    const property = properties[String(name)];
    return [String(name), plainValue(isObject(property) ? property : {}, depth + 1)] as const;
  });
  if (depth > DEPTH_MAX || entries.some(([, value]) => value === undefined)) return null;
  return Object.fromEntries(entries) as Input;
}

/** undefined where nothing plain fits. */
function plainValue(schema: Schema, depth: number): Json | undefined {
  const [example] = Array.isArray(schema.examples) ? (schema.examples as Json[]) : [];
  const [choice] = Array.isArray(schema.enum) ? (schema.enum as Json[]) : [];
  const told = (schema.default ?? schema.const ?? example ?? choice) as Json | undefined;
  if (told !== undefined) return told;
  const type = Array.isArray(schema.type) ? (schema.type as unknown[])[0] : schema.type;
  if (type === "integer" || type === "number") return numberOf(schema);
  if (type === "boolean") return false;
  if (type === "array") return arrayOf(schema, depth);
  if (type === "object") return plainInput(schema, depth) ?? undefined;
  return type === "null" ? null : textOf(schema);
}

function numberOf(schema: Schema): number {
  const bound = (name: string) => (typeof schema[name] === "number" ? schema[name] : null);
  const exclusive = bound("exclusiveMinimum");
  const least = bound("minimum") ?? (exclusive === null ? 1 : exclusive + 1);
  return Math.min(Math.max(1, least), bound("maximum") ?? Number.POSITIVE_INFINITY);
}

function textOf(schema: Schema): string | undefined {
  if (schema.pattern !== undefined) return undefined;
  if (typeof schema.format === "string") return BY_FORMAT[schema.format];
  const least = typeof schema.minLength === "number" ? schema.minLength : 0;
  const most = typeof schema.maxLength === "number" ? schema.maxLength : TEXT.length + least;
  if (least > CHARS_MAX) return undefined;
  return TEXT.padEnd(least, "o").slice(0, most);
}

function arrayOf(schema: Schema, depth: number): Json | undefined {
  const least = typeof schema.minItems === "number" ? schema.minItems : 0;
  const item = isObject(schema.items) ? plainValue(schema.items, depth + 1) : TEXT;
  if (least > ITEMS_MAX || (least > 0 && item === undefined)) return undefined;
  return Array.from({ length: least }, () => item as Json);
}

/** Ours: a mark is some 30 characters; shorter fields have no room for it. */
const MARK_CHARS = 64;

/** A required field that takes any text: there a submission can leave its mark. */
export function markerField(schema: Schema, input: Input): string | null {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const isFree = (name: string) => {
    const property = properties[name];
    if (!isObject(property) || property.type !== "string") return false;
    const { enum: choices, pattern, format, const: fixed, maxLength = MARK_CHARS } = property;
    const isBound = [choices, pattern, format, fixed].some((each) => each !== undefined);
    return !isBound && typeof maxLength === "number" && maxLength >= MARK_CHARS;
  };
  return Object.keys(input).find(isFree) ?? null;
}

/** A number field that is a run's length in seconds, by its name or what is said of it. */
export function secondsField(schema: Schema): string | null {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const found = Object.entries(properties).find(([name, property]) => {
    if (!isObject(property) || !["number", "integer"].includes(String(property.type))) return false;
    const told = `${name} ${String(property.description ?? "")}`;
    return /second/i.test(told) && /sleep|wait|run|delay|last|long|^seconds\b/i.test(told);
  });
  return found?.[0] ?? null;
}
