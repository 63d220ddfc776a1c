/** Bodies with exactly one error each, made from a worker's schema and a valid input. Spec §4.3. */

import type { JsonObject } from "../../contract/decode/decoded.ts";
import { isObject } from "../../contract/decode/decoded.ts";

export interface WrongBody {
  what: string;
  body: string;
}

/** Not JSON, or JSON that is not an object: wrong for every worker. Spec §4.3, §7. */
export const MALFORMED_BODIES: readonly WrongBody[] = [
  { what: "a body cut off", body: '{"broken' },
  { what: "a body that is no JSON", body: "plumbline" },
  { what: "an array", body: "[]" },
  { what: "a string", body: '"text"' },
  { what: "a number", body: "42" },
  { what: "null", body: "null" },
];

/** Ours: a field or two of each worker tells as much as all of them. */
const FIELDS_MAX = 2;

/**
 * The input without one of its required fields. A field with a default is left alone: a service
 * may fill it in. With an `extra` field the body carries that, to be recognised by.
 */
export function withoutRequired(schema: JsonObject, input: JsonObject): readonly WrongBody[] {
  const required: unknown = schema.required;
  if (!Array.isArray(required)) return [];
  return required
    .filter((name): name is string => typeof name === "string" && Object.hasOwn(input, name))
    .filter((name) => !hasDefault(schema, name))
    .slice(0, FIELDS_MAX)
    .map((name) => {
      const rest = Object.entries(input).filter(([field]) => field !== name);
      return {
        what: `a body without "${name}"`,
        body: JSON.stringify(Object.fromEntries(rest)),
      };
    });
}

function hasDefault(schema: JsonObject, name: string): boolean {
  const property = propertyOf(schema, name);
  return property !== null && "default" in property;
}

function propertyOf(schema: JsonObject, name: string): JsonObject | null {
  const { properties } = schema;
  const property =
    isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
  return isObject(property) ? property : null;
}

/** The input with one field of a type or value that its schema refuses, whoever validates it. */
export function withViolation(schema: JsonObject, input: JsonObject): readonly WrongBody[] {
  const names = isObject(schema.properties) ? Object.keys(schema.properties) : [];
  const own = names.filter((name) => Object.hasOwn(input, name));
  const fields = [...own, ...names.filter((name) => !own.includes(name))];
  const typed = fields.flatMap((name) => wrongType(schema, input, name) ?? []).slice(0, FIELDS_MAX);
  const valued = fields.flatMap((name) => wrongValue(schema, input, name) ?? []);
  const [long] = fields.flatMap((name) => tooLong(schema, input, name) ?? []);
  return [...typed, ...valued.slice(0, FIELDS_MAX), ...(long === undefined ? [] : [long])];
}

/** Types that no validator makes out of an object. */
const SCALARS = ["string", "number", "integer", "boolean"];

function wrongType(schema: JsonObject, input: JsonObject, name: string): WrongBody | null {
  const type = propertyOf(schema, name)?.type;
  if (typeof type !== "string" || !SCALARS.includes(type)) return null;
  return {
    what: `an object as "${name}" (${type})`,
    body: JSON.stringify({ ...input, [name]: { plumbline: "wrong type" } }),
  };
}

function wrongValue(schema: JsonObject, input: JsonObject, name: string): WrongBody | null {
  const property = propertyOf(schema, name);
  if (property === null) return null;
  const wrong = (value: string | number) => ({
    what: `${JSON.stringify(value)} as "${name}"`,
    body: JSON.stringify({ ...input, [name]: value }),
  });
  const { type, enum: values, minimum, maximum } = property;
  if (type === "string" && Array.isArray(values)) return wrong("plumbline-no-such-value");
  if (type !== "number" && type !== "integer") return null;
  if (typeof minimum === "number") return wrong(Math.floor(minimum) - 1);
  return typeof maximum === "number" ? wrong(Math.ceil(maximum) + 1) : null;
}

/** Ours: a longer one is refused for the size of its body. */
const TEXT_LENGTH_MAX = 10_000;

function tooLong(schema: JsonObject, input: JsonObject, name: string): WrongBody | null {
  const { type, enum: values, maxLength } = propertyOf(schema, name) ?? {};
  if (type !== "string" || values !== undefined) return null;
  if (typeof maxLength !== "number" || maxLength > TEXT_LENGTH_MAX) return null;
  return {
    what: `${maxLength + 1} characters as "${name}"`,
    body: JSON.stringify({ ...input, [name]: "x".repeat(maxLength + 1) }),
  };
}
