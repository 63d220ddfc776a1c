/** Bodies with exactly one error each, made from a worker's schema and a valid input. Spec §4.3. */

import type { JsonObject } from "../../../contract/decode/decoded.ts";
import { isObject } from "../../../contract/decode/decoded.ts";
import type { Json } from "../../../contract/verdict.ts";
import { withUnknown, wrongNull, wrongValues } from "./wrong-values.ts";

export interface WrongBody {
  what: string;
  body: string;
  /** What of the schema it breaks; left out: nothing that a schema says. */
  bound?: string;
  /** Statuses that are right, too, as the error may be called by either name. */
  lawful?: readonly number[];
}

/** Spec §7. */
const SCHEMA_VIOLATION = 422;
/** Content Too Large: how long a body may be is not shown. Spec §8; RFC 9110, 15.5.14. */
const TOO_LARGE = 413;
/** Forbidden: firewalls count how deep a body is nested. RFC 9110, 15.5.4. */
const FORBIDDEN = 403;
/** Ours: twice as deep as Python's parser goes by itself, and no longer than honest bodies are. */
const DEPTH = 2_000;

/** No JSON, whatever a worker's schema asks for. */
export const CUT_OFF = '{"broken';

/**
 * Not JSON, or JSON that is not an object: wrong for every worker. Those that hold nothing are a
 * bound of their own where nothing is required: only there they may count as an empty object. No
 * comments and no NaN: parsers of some languages take them unless told otherwise, as RFC 8259 §9
 * lets them. Spec §4.3, §7.
 */
export function malformedBodies(input: JsonObject, schema: JsonObject = {}): readonly WrongBody[] {
  const valid = JSON.stringify(input);
  const { required } = schema;
  const needsNothing = !Array.isArray(required) || required.length === 0;
  const hollow = [
    { what: "an empty body", body: "" },
    { what: "a body of a space", body: " " },
    { what: "an empty array", body: "[]" },
    { what: "null", body: "null" },
  ].map((each) => (needsNothing ? { ...each, bound: `${each.what}, nothing required` } : each));
  return [
    ...hollow,
    { what: "a body cut off", body: CUT_OFF },
    { what: "an input cut off", body: valid.slice(0, -1) },
    { what: "an input with a tail", body: `${valid} plumbline` },
    { what: "an input with a bracket more", body: `${valid}}` },
    { what: "an input twice", body: valid + valid },
    { what: "an input with a comma more", body: withCommaMore(valid) },
    { what: "an input without its first bracket", body: valid.slice(1) },
    { what: "an input in single quotes", body: inSingleQuotes(valid) },
    { what: "an input with a bare line break in a name", body: withLineBreak(valid) },
    { what: "an input in an array", body: `[${valid}]` },
    {
      what: `an array ${DEPTH} deep`,
      body: "[".repeat(DEPTH) + "]".repeat(DEPTH),
      lawful: [FORBIDDEN, TOO_LARGE],
    },
    { what: "an input as a string", body: JSON.stringify(valid) },
    { what: "a body that is not JSON", body: "plumbline" },
    { what: "a form", body: "plumbline=1&input=2" },
    { what: "a string", body: '"text"' },
    { what: "a number", body: "42" },
    { what: "true", body: "true" },
  ];
}

function withCommaMore(valid: string): string {
  return valid === "{}" ? "{,}" : `${valid.slice(0, -1)},}`;
}

function inSingleQuotes(valid: string): string {
  return valid === "{}" ? "{'plumbline':1}" : valid.replaceAll('"', "'");
}

/** A control character may stand in a text as an escape alone. RFC 8259 §7. */
function withLineBreak(valid: string): string {
  return `${valid.slice(0, -1)}${valid === "{}" ? "" : ","}"plumb\nline":1}`;
}

/**
 * The input without one of its required fields, and without any of them. A field with a default is
 * left alone: a service may fill it in.
 */
export function withoutRequired(schema: JsonObject, input: JsonObject): readonly WrongBody[] {
  const required: unknown = schema.required;
  if (!Array.isArray(required)) return [];
  const names = required
    .filter((name): name is string => typeof name === "string" && Object.hasOwn(input, name))
    .filter((name) => !hasDefault(schema, name));
  const without = (what: string, ...left: readonly string[]): WrongBody => {
    const rest = withoutFields(input, left);
    const lawful = breaksMore(schema, rest, left) ? { lawful: [SCHEMA_VIOLATION] } : {};
    return { what, body: JSON.stringify(rest), ...lawful };
  };
  const bodies = names.map((name) => without(`a body without "${name}"`, name));
  if (names.length < 2) return bodies;
  return [...bodies, without("a body without any field that it needs", ...names)];
}

/** Keywords under which a schema of the whole body may ask for the same field. */
const ASKING = ["anyOf", "oneOf", "allOf", "not", "if", "dependentRequired", "dependencies"];

/** Whether what is left may break the schema by another keyword than `required`, too. */
function breaksMore(schema: JsonObject, rest: JsonObject, left: readonly string[]): boolean {
  const { minProperties } = schema;
  const fields = Object.keys(withoutFields(rest, CONTROL_PARAMETERS));
  if (typeof minProperties === "number" && fields.length < minProperties) return true;
  const asking = JSON.stringify(ASKING.map((keyword) => schema[keyword]));
  return left.some((name) => asking.includes(JSON.stringify(name)));
}

function withoutFields(input: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([field]) => !names.includes(field)));
}

function hasDefault(schema: JsonObject, name: string): boolean {
  const property = propertiesOf(schema)[name];
  return isObject(property) && "default" in property;
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isObject(properties) ? properties : {};
}

/** No input of the worker's, where a schema names them: the service checks them. Spec §4.3. */
export const CONTROL_PARAMETERS = ["webhook", "priority"];

/** Ours: no service refuses a shorter body for its length. */
const LONG_BODY_CHARS = 1_000;

/** The input with one field of a type or value that its schema refuses, whoever validates it. */
export function withViolation(schema: JsonObject, input: JsonObject): readonly WrongBody[] {
  const properties = propertiesOf(schema);
  const needed: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(properties).filter((name) => !CONTROL_PARAMETERS.includes(name));
  const own = names.filter((name) => Object.hasOwn(input, name));
  const fields = [...own, ...names.filter((name) => !own.includes(name))];
  const bodies = fields.flatMap((name) => {
    const property = properties[name];
    if (!isObject(property)) return [];
    const right = (input[name] ?? null) as Json;
    const absent = needed.includes(name) && !("default" in property) ? wrongNull(property) : [];
    return [...wrongValues(property, right), ...absent].map(({ value, what, ...rest }) => {
      const body = JSON.stringify({ ...input, [name]: value });
      const lawful = body.length > LONG_BODY_CHARS ? { lawful: [TOO_LARGE] } : {};
      return { ...rest, ...lawful, what: `${what} as "${name}"`, body };
    });
  });
  const strangers = withUnknown(schema, input).map(({ value }) => ({
    bound: "additionalProperties",
    what: "a field that the schema does not allow",
    body: JSON.stringify(value),
  }));
  return [...bodies, ...strangers];
}
