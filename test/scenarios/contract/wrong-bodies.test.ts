/** Each wrong body has exactly one error, held against a JSON Schema validator. Spec §4.3. */

import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import {
  MALFORMED_BODIES,
  withoutRequired,
  withViolation,
} from "../../../scenarios/contract/wrong-bodies.ts";

const SCHEMA = {
  type: "object",
  properties: {
    text: { type: "string", maxLength: 40 },
    style: { type: "string", enum: ["plain", "upper"], default: "plain" },
    count: { type: "integer", minimum: 1, maximum: 10 },
    flag: { type: "boolean", default: false },
    list: { type: "array", items: { type: "string" } },
  },
  required: ["text", "flag"],
  additionalProperties: false,
};
const INPUT = { text: "hi", flag: true, count: 3 };

function errorsOf(body: string): readonly string[] {
  const validate = new Ajv({ allErrors: true }).compile(SCHEMA);
  validate(JSON.parse(body));
  return (validate.errors ?? []).map(({ keyword }) => keyword);
}

describe("withoutRequired", () => {
  it("leaves out one required field at a time, but none with a default", () => {
    const bodies = withoutRequired(SCHEMA, INPUT);
    expect(bodies.map(({ what }) => what)).toEqual(['a body without "text"']);
    expect(bodies.map(({ body }) => errorsOf(body))).toEqual([["required"]]);
  });

  it.each([{}, { required: "text" }, { required: [] }, { required: ["absent"] }])(
    "makes none where nothing required can be left out: %j",
    (schema) => {
      expect(withoutRequired(schema, INPUT)).toEqual([]);
    },
  );
});

describe("withViolation", () => {
  it("breaks one field of the schema, by type or by value", () => {
    const bodies = withViolation(SCHEMA, INPUT);
    expect(bodies.map(({ body }) => errorsOf(body))).toEqual([
      ["type"],
      ["type"],
      ["minimum"],
      ["enum"],
      ["maxLength"],
    ]);
  });

  it.each([{}, { properties: [] }, { properties: { any: true, list: { type: "array" } } }])(
    "makes none where no wrong value is sure to be refused: %j",
    (schema) => {
      expect(withViolation(schema, {})).toEqual([]);
    },
  );
});

describe("MALFORMED_BODIES", () => {
  it("are no JSON objects, each for one reason", () => {
    const kinds = MALFORMED_BODIES.map(({ body }) => {
      try {
        const value: unknown = JSON.parse(body);
        return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
      } catch {
        return "no JSON";
      }
    });
    expect(kinds).toEqual(["no JSON", "no JSON", "array", "string", "number", "null"]);
  });
});
