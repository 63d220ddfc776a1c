/** What a decoder answers, and the small readers that all decoders share. Nothing here throws. */

import type { Variant } from "../states.ts";
import { parseStatus } from "../states.ts";

/** One place where a body differs from the specification. */
export interface Problem {
  /**
   * Dotted path in the body, such as `timestamps.started_at` or `files[2].url`; "$" is the body.
   */
  path: string;
  expected: string;
  /** What stood there, in a few words. */
  got: string;
}

/**
 * `value` is null when the body is nothing of the kind; otherwise members that could not be read
 * are null. `variant` is null where the body does not tell. No problems: the body conforms.
 */
export interface Decoded<T, P extends Problem = Problem> {
  value: T | null;
  variant: Variant | null;
  problems: readonly P[];
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Ours: enough to recognise a value in a report. */
const GOT_CHARS_MAX = 80;
/** Ours: the first names tell what kind of object it is. */
const GOT_KEYS_MAX = 5;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that has no value (yet): absent, null, "", {} or []. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** By which variant's members are there; of as many of both, by the spelling of the status. */
export function variantBy(
  body: JsonObject,
  ofA: readonly string[],
  ofB: readonly string[],
): Variant | null {
  const count = (names: readonly string[]) => {
    return names.filter((name) => body[name] !== undefined && body[name] !== null).length;
  };
  const [a, b] = [count(ofA), count(ofB)];
  if (a !== b) return a > b ? "A" : "B";
  return parseStatus(body.status)?.variant ?? null;
}

/** A value in a few words; objects by their names only, so that deep nesting costs nothing. */
export function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return cut(JSON.stringify(value.slice(0, GOT_CHARS_MAX + 1)));
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (!isObject(value)) return cut(String(value));
  const names = Object.keys(value);
  const shown = names.slice(0, GOT_KEYS_MAX).join(", ");
  return cut(`an object {${shown}${names.length > GOT_KEYS_MAX ? ", …" : ""}}`);
}

function cut(text: string): string {
  return text.length <= GOT_CHARS_MAX ? text : `${text.slice(0, GOT_CHARS_MAX - 1)}…`;
}

/** A finite number that is not negative: JSON's 1e999 is read as Infinity. */
export function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

export function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

/** Ours: a millionth of a cent, or of a credit; nobody charges less. */
const RESIDUE_MAX = 1e-8;

/** Ours: a double has more digits than that, and sums of doubles are off by their last ones. */
const DIGITS_MAX = 14;

/**
 * Sums of binary fractions leave something: 0.1 + 0.2 is 0.30000000000000004, and less 0.3 it is
 * not nothing. What is stored is told without it.
 */
export function withoutResidue(value: unknown): unknown {
  if (typeof value !== "number" || Number.isInteger(value)) return value;
  return Math.abs(value) < RESIDUE_MAX ? 0 : Number(value.toPrecision(DIGITS_MAX));
}

/** Takes note of a problem. */
export type Complain = (path: string, expected: string, got: unknown) => void;

export function complainTo(problems: Problem[]): Complain {
  return (path, expected, got) => {
    problems.push({ path, expected, got: describe(got) });
  };
}

/** A non-empty string; anything else is a problem. */
export function readText(source: JsonObject, name: string, complain: Complain): string | null {
  const value = source[name];
  if (typeof value === "string" && value !== "") return value;
  complain(name, "a non-empty string", value);
  return null;
}

/** A string, which may be empty; anything else is a problem. */
export function readAnyText(source: JsonObject, name: string, complain: Complain): string | null {
  const value = source[name];
  if (typeof value === "string") return value;
  complain(name, "a string", value);
  return null;
}

/** A string that may be null; where `due`, it may not be absent. */
export function readNullableText(
  source: JsonObject,
  name: string,
  due: boolean,
  complain: Complain,
): string | null {
  const value = source[name];
  if (typeof value === "string") return value;
  if (value !== null && (due || value !== undefined)) complain(name, "a string", value);
  return null;
}

/** The answer for a body that is not even an object. */
export function notAnObject<T>(body: unknown): Decoded<T> {
  const problem = { path: "$", expected: "a JSON object", got: describe(body) };
  return { value: null, variant: null, problems: [problem] };
}
