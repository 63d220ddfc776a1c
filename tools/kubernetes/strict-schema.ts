/**
 * From OpenAPI, as Kubernetes and the definitions of custom resources have it, to JSON Schema that
 * refuses fields that are not there: the API server would drop them without a word.
 */

export type Schema = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Numbers are taken where Kubernetes reads them as texts. Source: its types `Quantity`, `Time`. */
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const AS_NUMBERS_TOO: Schema = { type: ["string", "number"] };

export function strictDefinitions(definitions: Readonly<Record<string, Schema>>) {
  const strict = Object.entries(definitions).map(
    ([name, schema]) => [name, name === QUANTITY ? AS_NUMBERS_TOO : strictSchema(schema)] as const,
  );
  return Object.fromEntries(strict);
}

/** Descriptions are left out: nobody reads them here. */
export function strictSchema(schema: Schema): Schema {
  if (schema.format === "int-or-string" || schema["x-kubernetes-int-or-string"] === true) {
    return { type: ["integer", "string"] };
  }
  const { description: _description, format: _format, default: _default, ...rest } = schema;
  const { properties, items, additionalProperties } = rest;
  const open = rest["x-kubernetes-preserve-unknown-fields"] === true;
  const closed = properties !== undefined && additionalProperties === undefined && !open;
  return {
    ...rest,
    ...(isObject(properties) ? { properties: strictProperties(properties) } : {}),
    ...(isObject(items) ? { items: strictSchema(items) } : {}),
    ...(isObject(additionalProperties)
      ? { additionalProperties: strictSchema(additionalProperties) }
      : {}),
    ...(closed ? { additionalProperties: false } : {}),
  };
}

/** By name: a field may be called as a word of the schema is. */
function strictProperties(properties: Schema): Schema {
  const strict = Object.entries(properties).map(
    ([name, value]) => [name, strictSchema(value as Schema)] as const,
  );
  return Object.fromEntries(strict);
}
