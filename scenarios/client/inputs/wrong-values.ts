/**
 * Values that the schema of a field refuses: each bound missed by as little as can be, and nothing
 * that a validator may make fit, such as a number for a text. A text that only begins with a number
 * is none, however it is read.
 */

import type { JsonObject } from "../../../contract/decode/decoded.ts";
import { isCount, isObject } from "../../../contract/decode/decoded.ts";
import type { Json } from "../../../contract/verdict.ts";
import { EVERY_OBJECT_HAS } from "./made-up.ts";
import { matchingText } from "./matching-text.ts";
import {
  expressionOf,
  ITEMS_MAX,
  isNumber,
  plainTexts,
  sample,
  sampleMembers,
  samples,
  TEXT_LENGTH_MAX,
} from "./sample-values.ts";

export interface WrongValue {
  /** The keyword of the schema that it breaks, and where: what a validator may not know. */
  bound: string;
  what: string;
  value: Json;
  lawful?: readonly number[];
}

/** Ours: of a number without steps, the share of a bound by which it is missed. */
const BEYOND_SHARE = 1e-3;
/** Ours: a text may be "missing" when it is empty. */
const MISSING = [400];
/** Forbidden: firewalls look for names that every object has. RFC 9110, 15.5.4. */
const BARRED = [403];

/** Keywords under which a value can be right by another way than the one that is looked at. */
const MANIFOLD = ["anyOf", "oneOf", "allOf", "not", "if", "$ref", "nullable"];
/** Those of them that can tell the types of all right values. */
const TELLING = ["anyOf", "oneOf", "nullable"];

/**
 * `own`: a value of the field that is right; null where none is known. What only the service sets,
 * it may ignore in what it is sent. JSON Schema Validation, 9.4.
 */
export function wrongValues(property: JsonObject, own: Json = null): readonly WrongValue[] {
  if (property.readOnly === true) return [];
  if (MANIFOLD.some((name) => name in property)) return wrongForSeveral(property);
  const values = ofType(property, wrongType(property), own);
  return Array.isArray(property.enum) || "const" in property
    ? [...values.slice(0, 1), ...outOfChoice(property)]
    : values;
}

function ofType(
  property: JsonObject,
  first: readonly WrongValue[],
  own: Json,
): readonly WrongValue[] {
  switch (property.type) {
    case "string":
      return [...first, ...wrongTexts(property, own)];
    case "number":
    case "integer":
      return [...first, ...numberInPart(property), ...wrongNumbers(property)];
    case "array":
      return [...first, ...wrongArrays(property)];
    case "object":
      return [...first, ...wrongMembers(property, own)];
    default:
      return first;
  }
}

/** Types that no validator makes out of an object, or the one that it makes of no text. */
const FROM_OBJECT = ["string", "number", "integer", "boolean", "array"];

function wrongType(property: JsonObject): readonly WrongValue[] {
  const { type } = property;
  if (typeof type !== "string") return wrongForSeveral(property);
  const bound = "type";
  if (FROM_OBJECT.includes(type)) {
    return [{ bound, what: `an object (not ${type})`, value: { plumbline: "wrong type" } }];
  }
  return type === "object" ? [{ bound, what: "a text (not object)", value: "plumbline" }] : [];
}

/** Of none of the types that the field may have, and that no validator makes one of them. */
function wrongForSeveral(property: JsonObject): readonly WrongValue[] {
  const types = typesOf(property);
  if (types === null) return [];
  const bound = "type of several";
  const not = `not ${types.join(" or ")}`;
  if (types.every((type) => type === "null" || FROM_OBJECT.includes(type))) {
    return [{ bound, what: `an object (${not})`, value: { plumbline: "wrong type" } }];
  }
  const isObjectOrNull = types.every((type) => type === "null" || type === "object");
  return isObjectOrNull ? [{ bound, what: `a text (${not})`, value: "plumbline" }] : [];
}

/** Types of which a right value has one; null where they are not known. */
function typesOf(property: unknown): readonly string[] | null {
  if (!isObject(property)) return null;
  if (MANIFOLD.some((name) => name in property && !TELLING.includes(name))) return null;
  const { type, anyOf, oneOf, nullable } = property;
  const told = [type, anyOf, oneOf].filter((each) => each !== undefined);
  if (told.length !== 1) return null;
  const types = told.flat().map((each: unknown) => {
    if (type === undefined) return typesOf(each);
    return typeof each === "string" ? [each] : null;
  });
  if (types.length === 0 || types.includes(null)) return null;
  const known = types.flatMap((each) => each ?? []);
  return [...new Set(nullable === true ? [...known, "null"] : known)];
}

/**
 * Null for a field that is needed, where an empty text, 0 or false, which a validator may make of
 * it, is wrong as well. It may count as missing.
 */
export function wrongNull(property: JsonObject): readonly WrongValue[] {
  const { type, minLength, minimum, exclusiveMinimum } = property;
  const isOther = ["readOnly", "enum", "const", ...MANIFOLD].some((name) => name in property);
  if (isOther) return [];
  const isUnfit =
    type === "object" ||
    (type === "string" && (isCount(minLength) ? minLength > 0 : false)) ||
    ((type === "integer" || type === "number") &&
      ((isNumber(minimum) && minimum > 0) ||
        (isNumber(exclusiveMinimum) && exclusiveMinimum >= 0)));
  return isUnfit ? [{ bound: "null", what: "null", value: null, lawful: MISSING }] : [];
}

function outOfChoice({ type, enum: values }: JsonObject): readonly WrongValue[] {
  const wrong = wrongBy("enum");
  if (type === "string") {
    const first = Array.isArray(values) ? (values as readonly Json[])[0] : undefined;
    const isWrong = (text: string) => !(values as readonly Json[]).includes(text);
    const [longer, cased] =
      typeof first === "string" ? [[`${first}-plumbline`], otherCase(first)] : [[], []];
    return [
      ...[EVERY_OBJECT_HAS].filter(isWrong).map((text) => ({ ...wrong(text), lawful: BARRED })),
      ...longer.filter(isWrong).map(wrongBy("enum in part")),
      ...cased.filter(isWrong).map(wrongBy("enum in another case")),
    ];
  }
  if (type !== "number" && type !== "integer") return [];
  const numbers = (Array.isArray(values) ? values : []).filter((each) => typeof each === "number");
  return numbers.length === 0 ? [] : [wrong(Math.max(...numbers) + 1)];
}

function otherCase(text: string): readonly string[] {
  return [text.toUpperCase(), text.toLowerCase()].filter((other) => other !== text).slice(0, 1);
}

function wrongBy(bound: string): (value: string | number) => WrongValue {
  return (value) => ({ bound, what: JSON.stringify(value), value });
}

function wrongTexts(property: JsonObject, own: Json): readonly WrongValue[] {
  const { minLength, maxLength, pattern, format } = property;
  if (typeof pattern === "string") return withoutPattern(property, pattern, own);
  if (format !== undefined) return [];
  const long =
    isCount(maxLength) && maxLength <= TEXT_LENGTH_MAX ? [textOf("maxLength", maxLength + 1)] : [];
  if (!isCount(minLength) || minLength === 0 || minLength > TEXT_LENGTH_MAX) return long;
  const short = textOf("minLength", minLength - 1);
  if (minLength === 1) return [...long, { ...short, lawful: MISSING }];
  return [...long, short, inBytes(minLength - 1)];
}

/** Long enough in bytes, and not in characters, of which a length is told. RFC 8259 §8.1, §7. */
function inBytes(length: number): WrongValue {
  const what = `${length} characters of two bytes`;
  // Left out, such letters are no text any more; in Latin ones, it is no longer than before.
  return { bound: "minLength in bytes", what, value: "д".repeat(length), lawful: MISSING };
}

function textOf(bound: string, length: number): WrongValue {
  return { bound, what: `${length} characters`, value: "x".repeat(length) };
}

/**
 * Texts that do not match, and break no other bound: one through and through, one with a character
 * more behind what matches, or before it, and one with another line.
 */
function withoutPattern(
  { minLength, maxLength }: JsonObject,
  pattern: string,
  own: Json,
): readonly WrongValue[] {
  const least = isCount(minLength) ? minLength : 1;
  const most = isCount(maxLength) ? maxLength : TEXT_LENGTH_MAX;
  const expression = expressionOf(pattern);
  if (least > most || least > TEXT_LENGTH_MAX || expression === null) return [];
  const plain = plainTexts(least, most);
  const fits = (text: string) => text.length >= least && text.length <= most;
  const right = [own, ...plain, matchingText(pattern)].find((text): text is string => {
    return typeof text === "string" && text !== "" && fits(text) && expression.test(text);
  });
  const breaks = (text: string) => fits(text) && !expression.test(text);
  const outer = right === undefined ? [] : [`${right}~`, `~${right}`];
  // Anchors of Ruby's stand at the ends of each line.
  const lines = right === undefined ? [] : [`${right}\n~`];
  return [
    ...plain.filter(breaks).slice(0, 1).map(wrongBy("pattern")),
    ...outer.filter(breaks).map(wrongBy("pattern in part")),
    ...lines.filter(breaks).map(wrongBy("pattern of a line")),
  ].map((each) => ({ ...each, what: `${each.what} (no match)` }));
}

function wrongNumbers(property: JsonObject): readonly WrongValue[] {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = property;
  const isWhole = type === "integer";
  const step = (bound: number) => (isWhole ? 1 : BEYOND_SHARE * Math.max(1, Math.abs(bound)));
  const low = isNumber(minimum)
    ? [(isWhole ? Math.ceil(minimum) : minimum) - step(minimum)].map(wrongBy("minimum"))
    : isNumber(exclusiveMinimum)
      ? [isWhole ? Math.floor(exclusiveMinimum) : exclusiveMinimum].map(wrongBy("exclusiveMinimum"))
      : [];
  const high = isNumber(maximum)
    ? [(isWhole ? Math.floor(maximum) : maximum) + step(maximum)].map(wrongBy("maximum"))
    : isNumber(exclusiveMaximum)
      ? [isWhole ? Math.ceil(exclusiveMaximum) : exclusiveMaximum].map(wrongBy("exclusiveMaximum"))
      : [];
  const between = isWhole && multipleOf === undefined ? fractionIn(property) : [];
  return [...low, ...high, ...between.map(wrongBy("integer")), ...betweenSteps(property)];
}

/** A number that is right, with a text behind it: as whoever reads as far as there are digits. */
function numberInPart(property: JsonObject): readonly WrongValue[] {
  const right = sample(property);
  return isNumber(right) ? [wrongBy("type in part")(`${right}plumbline`)] : [];
}

/** Half of an integer, inside the bounds. */
function fractionIn({ minimum, maximum }: JsonObject): readonly number[] {
  const from = isNumber(minimum) ? Math.ceil(minimum) : isNumber(maximum) ? maximum - 1 : 1;
  return isNumber(maximum) && from + 0.5 > maximum ? [] : [Math.floor(from) + 0.5];
}

/** Between two multiples, inside the bounds; a whole number where it has to be one. */
function betweenSteps(property: JsonObject): readonly WrongValue[] {
  const { type, multipleOf, maximum, exclusiveMaximum } = property;
  const low = sample(property);
  if (!isNumber(multipleOf) || !isNumber(low)) return [];
  const off = type === "integer" ? 1 : multipleOf / 2;
  const isStep = type === "integer" && multipleOf <= 1;
  const isBeyond = [maximum, exclusiveMaximum].some((most) => isNumber(most) && low + off >= most);
  return isStep || isBeyond ? [] : [wrongBy("multipleOf")(low + off)];
}

/** Each with one member that is wrong, missing or unknown, beside those that it needs. */
function wrongMembers(property: JsonObject, own: Json): readonly WrongValue[] {
  const right = isObject(own) ? (own as JsonObject) : sampleMembers(property);
  if (right === null) return [];
  const members = isObject(property.properties) ? property.properties : {};
  const bad = Object.entries(members).flatMap(([name, member]) =>
    (isObject(member) ? wrongValues(member, (right[name] ?? null) as Json) : []).map((each) => ({
      ...each,
      bound: `${each.bound} of a member`,
      what: `${each.what} as its "${name}"`,
      value: { ...right, [name]: each.value } as Json,
    })),
  );
  return [...bad, ...withoutMember(property, right), ...withUnknown(property, right)];
}

/** What an object lacks may be called a missing field as well. */
function withoutMember({ properties, required }: JsonObject, right: JsonObject): WrongValue[] {
  const members = isObject(properties) ? properties : {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  return needed.flatMap((name) => {
    const member = members[name];
    if (!Object.hasOwn(right, name) || (isObject(member) && "default" in member)) return [];
    const value = Object.fromEntries(Object.entries(right).filter(([each]) => each !== name));
    const what = `an object without its "${name}"`;
    return [{ bound: "required of a member", what, value: value as Json, lawful: MISSING }];
  });
}

/** Beside members that are right, one that the schema does not know and does not allow. */
export function withUnknown(schema: JsonObject, right: JsonObject): readonly WrongValue[] {
  if (schema.additionalProperties !== false || "patternProperties" in schema) return [];
  const value = { ...right, plumbline_unknown: 1 } as Json;
  const what = "an object with a field that the schema does not allow";
  return [{ bound: "additionalProperties of a member", what, value }];
}

/** Of elements that are right by what is told of them, but for the last. */
function wrongArrays(property: JsonObject): readonly WrongValue[] {
  const { items, minItems, maxItems, uniqueItems } = property;
  const of = (bound: string, length: number): WrongValue[] => {
    const value = samples(items, length, property);
    return value === null ? [] : [{ bound, what: `${length} elements`, value }];
  };
  const least = isCount(minItems) && minItems > 0 && minItems <= ITEMS_MAX ? minItems : null;
  const most = isCount(maxItems) && maxItems < ITEMS_MAX ? maxItems : ITEMS_MAX;
  const filled = Math.min(most, Math.max(2, least ?? 2)) - 1;
  const before = samples(items, filled, property);
  const bad = isObject(items) && Array.isArray(before) ? wrongValues(items) : [];
  const element = sample(items);
  const isTwice = uniqueItems === true && element !== null && most >= 2 && (least ?? 0) <= 2;
  return [
    ...(least === null ? [] : of("minItems", least - 1)),
    ...(most === ITEMS_MAX ? [] : of("maxItems", most + 1)),
    ...(isTwice
      ? [{ bound: "uniqueItems", what: "an element twice", value: [element, element] }]
      : []),
    ...bad.map((each) => ({
      ...each,
      bound: `${each.bound} of an element`,
      what: `${each.what} among elements`,
      value: [...(before as readonly Json[]), each.value],
    })),
  ];
}
