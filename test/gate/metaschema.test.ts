/** What counts as a valid JSON Schema, by the draft that a schema names. */

import { describe, expect, it } from "vitest";
import { judgeSchema } from "../../gate/json-schema.ts";

const D2020 = "https://json-schema.org/draft/2020-12/schema";
const D2019 = "https://json-schema.org/draft/2019-09/schema";
const D07 = "http://json-schema.org/draft-07/schema#";
const D06 = "http://json-schema.org/draft-06/schema#";
const D04 = "http://json-schema.org/draft-04/schema#";

const VALID: [string, Record<string, unknown>][] = [
  ["an empty schema", {}],
  ["a plain object schema", { type: "object", properties: { a: { type: "string" } } }],
  ["2020-12", { $schema: D2020, prefixItems: [{ type: "string" }] }],
  ["2019-09", { $schema: D2019, $recursiveAnchor: true }],
  ["draft-07", { $schema: D07, if: { type: "string" } }],
  ["draft-07 without the hash", { $schema: "http://json-schema.org/draft-07/schema" }],
  ["draft-06", { $schema: D06, exclusiveMinimum: 3 }],
  ["draft-04", { $schema: D04, minimum: 3, exclusiveMinimum: true }],
  ["draft-04 keywords without $schema", { minimum: 3, exclusiveMinimum: true }],
  ["2020-12 keywords without $schema", { $defs: { a: {} }, prefixItems: [{}] }],
  ["unknown keywords and formats", { "x-order": 1, type: "string", format: "colour" }],
  ["a reference that can't be resolved here", { $ref: "https://example.invalid/schema.json" }],
];

const INVALID: [string, Record<string, unknown>][] = [
  ["an unknown type", { type: "strng" }],
  ["a required that is no array", { type: "object", required: "text" }],
  ["properties that are no schemas", { properties: { text: "string" } }],
  ["draft-07 with draft-04's exclusiveMinimum", { $schema: D07, exclusiveMinimum: true }],
  ["draft-04 with draft-06's exclusiveMinimum", { $schema: D04, exclusiveMinimum: 3 }],
  ["an unknown type in 2020-12", { $schema: D2020, properties: { a: { type: "text" } } }],
  ["a $schema that is no string", { $schema: 7 }],
];

describe("judgeSchema", () => {
  it.each(VALID)("takes %s for valid", (_, schema) => {
    expect(judgeSchema(schema)).toEqual({ verdict: "valid" });
  });

  it.each(INVALID)("takes %s for invalid", (_, schema) => {
    expect(judgeSchema(schema)).toMatchObject({ verdict: "invalid" });
  });

  it.each(["http://json-schema.org/draft-03/schema#", "https://example.invalid/dialect"])(
    "does not judge the dialect %s",
    (dialect) => {
      expect(judgeSchema({ $schema: dialect, type: "strng" })).toEqual({
        verdict: "unknown",
        problem: `it names the unknown dialect "${dialect}"`,
      });
    },
  );
});
