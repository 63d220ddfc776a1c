/** A schema of an object with its fields at its top, however its generator spread them. */

import type { JsonObject } from "./decoded.ts";
import { isObject } from "./decoded.ts";

/** Ours: more parts than generators write at the top; circles and hostile bodies end there. */
const PARTS_MAX = 200;
/** What may stand beside a reference and says nothing of a value. */
const SILENT = ["$schema", "$id", "$defs", "definitions", "$comment", "title", "description"];

/** Where references lead, and how many more parts are read. */
interface Root {
  schema: JsonObject;
  left: number;
}

/**
 * References within the schema are followed, and the parts of `allOf` are put together, at the top
 * and in its fields. Nothing is added that a value need not keep to: what can't be read stays away.
 * A schema that has neither is given back as it is.
 */
export function flatSchema(schema: JsonObject): JsonObject {
  const root = { schema, left: PARTS_MAX };
  const parts = partsOf(root, schema);
  const fields = parts.flatMap(({ properties }) =>
    isObject(properties) ? Object.entries(properties) : [],
  );
  const isFlat = parts[0] === schema && !fields.some(([, field]) => isReference(field));
  if (parts.length === 0 || isFlat) return schema;
  const withFields = parts.filter(({ properties }) => isObject(properties));
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []));
  return {
    // No part knows the fields of another: what it says of those it does not name stays away.
    ...(withFields.length === 1 ? withFields[0] : {}),
    type: "object",
    properties: fieldsOf(root, fields),
    required: [...new Set<unknown>(required)],
  };
}

/** All that a value has to keep to, each a schema without reference. */
function partsOf(root: Root, schema: JsonObject): readonly JsonObject[] {
  root.left -= 1;
  if (root.left < 0) return [];
  if ("$ref" in schema) {
    // What stands beside a reference counts in some drafts only.
    const isAlone = Object.keys(schema).every((name) => name === "$ref" || SILENT.includes(name));
    const target = isAlone ? find(root.schema, schema.$ref) : null;
    return target === null ? [] : partsOf(root, target);
  }
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return [schema];
  return [rest, ...allOf.filter(isObject).flatMap((part) => partsOf(root, part))];
}

function isReference(schema: unknown): schema is JsonObject {
  return isObject(schema) && "$ref" in schema;
}

/** By a pointer in JSON. RFC 6901. */
function find(root: JsonObject, reference: unknown): JsonObject | null {
  if (typeof reference !== "string" || !reference.startsWith("#")) return null;
  let at: unknown = root;
  for (const name of reference.split("/").slice(1)) {
    const plain = name.replace(/~1/g, "/").replace(/~0/g, "~");
    at = isObject(at) && Object.hasOwn(at, plain) ? at[plain] : null;
  }
  return isObject(at) ? at : null;
}

/** A field that several parts speak of is in none of them alone. */
function fieldsOf(root: Root, fields: readonly (readonly [string, unknown])[]): JsonObject {
  const read = new Map<string, unknown>();
  for (const [name, field] of fields) {
    const known = read.get(name);
    read.set(name, known === undefined ? fieldOf(root, field) : { allOf: [known, field] });
  }
  return Object.fromEntries(read);
}

/** A field that is a reference alone; any other stays as it is. */
function fieldOf(root: Root, field: unknown): unknown {
  if (!isReference(field)) return field;
  const [target, ...more] = partsOf(root, field);
  return target === undefined || more.length > 0 ? field : target;
}
