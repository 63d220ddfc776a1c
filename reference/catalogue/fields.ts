/** Reads fields of an input that may not have been validated. */

import type { JsonObject } from "./worker.ts";

export function numberOf(input: JsonObject, field: string, fallback: number): number {
  const value = input[field];
  return typeof value === "number" && Number.isFinite(value) ? value : fallback;
}

export function textOf(input: JsonObject, field: string, fallback: string): string {
  const value = input[field];
  return typeof value === "string" ? value : fallback;
}

/** A JSON Schema of an object, as the catalogue shows it. */
export function objectSchema(
  properties: JsonObject,
  required: readonly string[],
  closed = false,
): JsonObject {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties,
    required,
    ...(closed ? { additionalProperties: false } : {}),
  };
}
