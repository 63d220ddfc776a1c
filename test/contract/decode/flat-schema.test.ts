/** Schemas whose fields stand elsewhere than at the top. */

import { describe, expect, it } from "vitest";
import { flatSchema } from "../../../contract/decode/flat-schema.ts";

const TEXT = { type: "string", maxLength: 9 };
const PLAIN = { type: "object", properties: { text: TEXT }, required: ["text"] };
const NAMED = { Input: { ...PLAIN, additionalProperties: false }, Text: TEXT, "a/b": PLAIN };

describe("flatSchema", () => {
  it.each([
    ["fields at the top", PLAIN],
    ["no field", { type: "object" }],
    ["a reference to elsewhere", { $ref: "https://example.org/input.json" }],
    ["a reference to nothing", { $ref: "#/definitions/Input" }],
    ["a circle", { $ref: "#" }],
    [
      "a reference beside what only some drafts read",
      { $ref: "#/definitions/a", minProperties: 1 },
    ],
  ])("leaves %s", (_, schema) => {
    expect(flatSchema(schema)).toBe(schema);
  });

  it.each([
    ["a reference", { $ref: "#/$defs/Input", $defs: NAMED }, { additionalProperties: false }],
    ["an escaped reference", { $ref: "#/$defs/a~1b", $defs: NAMED }, {}],
    ["a field's reference", { ...PLAIN, properties: { text: { $ref: "#/$defs/Text" } } }, {}],
    ["parts", { allOf: [{ properties: { text: TEXT } }, { required: ["text"] }] }, {}],
    ["a part's reference", { type: "object", allOf: [{ $ref: "#/$defs/a~1b" }] }, {}],
  ])("reads %s", (_, schema, more) => {
    const { type, properties, required, additionalProperties } = flatSchema({
      ...schema,
      $defs: NAMED,
    });
    expect({ type, properties, required, additionalProperties }).toEqual({ ...PLAIN, ...more });
  });

  it("says of fields in several parts no more than each of them does", () => {
    const closed = { properties: { text: TEXT }, additionalProperties: false };
    const other = { properties: { text: { minLength: 1 }, count: { type: "integer" } } };
    expect(flatSchema({ allOf: [closed, other] })).toEqual({
      type: "object",
      properties: { text: { allOf: [TEXT, { minLength: 1 }] }, count: { type: "integer" } },
      required: [],
    });
  });

  it("ends where parts refer to the whole, many times", () => {
    const all = Array.from({ length: 50 }, () => ({ $ref: "#" }));
    expect(flatSchema({ ...PLAIN, allOf: all }).properties).toHaveProperty("text");
  });
});
