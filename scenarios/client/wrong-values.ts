/**
 * Values that the schema of a field refuses: each bound missed by as little as can be, and nothing
 * that a validator may make fit, such as a number for a text.
 */

import type { JsonObject } from "../../contract/decode/decoded.ts";
import { isObject } from "../../contract/decode/decoded.ts";
import type { Json } from "../../contract/verdict.ts";

export interface WrongValue {
  what: string;
  value: Json;
  lawful?: readonly number[];
}

/** Ours: a longer one is refused for the size of its body. */
const TEXT_LENGTH_MAX = 10_000;
const ITEMS_MAX = 1_000;
/** Ours: of a number without steps, the share of a bound by which it is missed. */
const BEYOND_SHARE = 1e-3;
/** Ours: a text may be "missing" when it is empty. */
const MISSING = [400];

/** Keywords under which a value can be right by another way than the one that is looked at. */
const MANIFOLD = ["anyOf", "oneOf", "allOf", "not", "if", "$ref", "nullable"];

export function wrongValues(property: JsonObject): readonly WrongValue[] {
  if (MANIFOLD.some((name) => name in property)) return [];
  const values = ofType(property, wrongType(property));
  return Array.isArray(property.enum) || "const" in property
    ? [...values.slice(0, 1), ...outOfChoice(property)]
    : values;
}

function ofType(property: JsonObject, first: readonly WrongValue[]): readonly WrongValue[] {
  switch (property.type) {
    case "string":
      return [...first, ...wrongTexts(property)];
    case "number":
    case "integer":
      return [...first, ...wrongNumbers(property)];
    case "array":
      return [...first, ...wrongArrays(property)];
    case "object":
      return [...first, ...wrongMembers(property)];
    default:
      return first;
  }
}

/** Types that no validator makes out of an object, or the one that it makes of no text. */
const FROM_OBJECT = ["string", "number", "integer", "boolean", "array"];

function wrongType({ type }: JsonObject): readonly WrongValue[] {
  if (typeof type !== "string") return [];
  if (FROM_OBJECT.includes(type)) {
    return [{ what: `an object (not ${type})`, value: { plumbline: "wrong type" } }];
  }
  return type === "object" ? [{ what: "a text (not object)", value: "plumbline" }] : [];
}

function outOfChoice({ type, enum: values }: JsonObject): readonly WrongValue[] {
  if (type === "string") {
    const first = Array.isArray(values) ? (values as readonly Json[])[0] : undefined;
    const like = typeof first === "string" ? [`${first}-plumbline`, ...otherCase(first)] : [];
    const others = like.filter((text) => !(values as readonly Json[]).includes(text));
    return ["plumbline-no-such-value", ...others].map(wrong);
  }
  if (type !== "number" && type !== "integer") return [];
  const numbers = (Array.isArray(values) ? values : []).filter((each) => typeof each === "number");
  return numbers.length === 0 ? [] : [wrong(Math.max(...numbers) + 1)];
}

function otherCase(text: string): readonly string[] {
  return [text.toUpperCase(), text.toLowerCase()].filter((other) => other !== text).slice(0, 1);
}

function wrong(value: string | number): WrongValue {
  return { what: JSON.stringify(value), value };
}

function wrongTexts(property: JsonObject): readonly WrongValue[] {
  const { minLength, maxLength, pattern, format } = property;
  if (typeof pattern === "string") return withoutPattern(property, pattern);
  if (format !== undefined) return [];
  const long = isCount(maxLength) && maxLength <= TEXT_LENGTH_MAX ? [textOf(maxLength + 1)] : [];
  if (!isCount(minLength) || minLength === 0 || minLength > TEXT_LENGTH_MAX) return long;
  const short = textOf(minLength - 1);
  return [...long, minLength === 1 ? { ...short, lawful: MISSING } : short];
}

function textOf(length: number): WrongValue {
  return { what: `${length} characters`, value: "x".repeat(length) };
}

/** One that does not match, and breaks no other bound. */
function withoutPattern({ minLength, maxLength }: JsonObject, pattern: string): WrongValue[] {
  const least = isCount(minLength) ? minLength : 1;
  const most = isCount(maxLength) ? maxLength : TEXT_LENGTH_MAX;
  if (least > most || least > TEXT_LENGTH_MAX) return [];
  try {
    const expression = new RegExp(pattern, "u");
    const candidates = ["~", "!", "x", "0", "Z"].map((char) => char.repeat(Math.max(1, least)));
    const found = candidates.find((text) => text.length <= most && !expression.test(text));
    return found === undefined
      ? []
      : [{ what: `${JSON.stringify(found)} (no match)`, value: found }];
  } catch {
    return [];
  }
}

function wrongNumbers(property: JsonObject): readonly WrongValue[] {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = property;
  const isWhole = type === "integer";
  const step = (bound: number) => (isWhole ? 1 : BEYOND_SHARE * Math.max(1, Math.abs(bound)));
  const low = isNumber(minimum)
    ? [(isWhole ? Math.ceil(minimum) : minimum) - step(minimum)]
    : isNumber(exclusiveMinimum)
      ? [isWhole ? Math.floor(exclusiveMinimum) : exclusiveMinimum]
      : [];
  const high = isNumber(maximum)
    ? [(isWhole ? Math.floor(maximum) : maximum) + step(maximum)]
    : isNumber(exclusiveMaximum)
      ? [isWhole ? Math.ceil(exclusiveMaximum) : exclusiveMaximum]
      : [];
  const between = isWhole && multipleOf === undefined ? fractionIn(property) : [];
  return [...low, ...high, ...between].map(wrong);
}

/** Half of an integer, inside the bounds. */
function fractionIn({ minimum, maximum }: JsonObject): readonly number[] {
  const from = isNumber(minimum) ? Math.ceil(minimum) : isNumber(maximum) ? maximum - 1 : 1;
  return isNumber(maximum) && from + 0.5 > maximum ? [] : [Math.floor(from) + 0.5];
}

/** Each with one member that is wrong, beside samples of those that it needs. */
function wrongMembers({ properties, required }: JsonObject): readonly WrongValue[] {
  const members = isObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  const samples = needed.map((name) => [name, sample(members[name])] as const);
  if (samples.some(([, value]) => value === null)) return [];
  return Object.entries(members).flatMap(([name, member]) =>
    (isObject(member) ? wrongValues(member) : []).map((bad) => ({
      ...bad,
      what: `${bad.what} as its "${name}"`,
      value: { ...Object.fromEntries(samples), [name]: bad.value } as Json,
    })),
  );
}

/** Of elements that are right by what is told of them. */
function wrongArrays({ items, minItems, maxItems }: JsonObject): readonly WrongValue[] {
  const element = sample(items);
  if (element === null) return [];
  const of = (length: number): WrongValue => ({
    what: `${length} elements`,
    value: Array.from({ length }, () => element),
  });
  const least = isCount(minItems) && minItems > 0 && minItems <= ITEMS_MAX ? minItems : null;
  const most = isCount(maxItems) && maxItems <= ITEMS_MAX ? maxItems : null;
  const bad = isObject(items) ? wrongValues(items) : [];
  const filled = Math.max(1, least ?? 1) - 1;
  return [
    ...(least === null ? [] : [of(least - 1)]),
    ...(most === null ? [] : [of(most + 1)]),
    ...bad.map((each) => ({
      ...each,
      what: `${each.what} among elements`,
      value: [...Array.from({ length: filled }, () => element), each.value],
    })),
  ];
}

/** Keywords that say nothing of a value, or are kept to by samples. */
const SAMPLED = [
  ...["type", "title", "description", "default", "examples"],
  ...["enum", "minLength", "maxLength", "minimum", "maximum"],
];

/** A value that a plain schema accepts; null where it has bounds of another kind. */
function sample(schema: unknown): Json {
  if (!isObject(schema)) return null;
  if (Object.keys(schema).some((name) => !SAMPLED.includes(name))) return null;
  const { type, enum: values, minLength, maxLength, minimum, maximum } = schema;
  const [first] = Array.isArray(values) ? (values as readonly Json[]) : [];
  if (first !== undefined) return first;
  if (type === "string") {
    const least = isCount(minLength) ? minLength : 0;
    const most = isCount(maxLength) ? maxLength : TEXT_LENGTH_MAX;
    return "plumbline".padEnd(least, "-").slice(0, most);
  }
  if (type !== "number" && type !== "integer") return null;
  const low = isNumber(minimum) ? Math.ceil(minimum) : Math.min(1, isNumber(maximum) ? maximum : 1);
  return isNumber(maximum) && low > maximum ? null : low;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}
