/** Each wrong body has exactly one error, held against a JSON Schema validator. Spec §4.3. */

import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import {
  malformedBodies,
  withoutRequired,
  withViolation,
} from "../../../../scenarios/client/inputs/wrong-bodies.ts";

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
const PAIR = { type: "string", pattern: "^[a-z]{2}$" };
const CODE = { type: "string", pattern: "^[a-z]+$" };
const NEEDED = { type: "string", minLength: 1 };
const INPUT = { text: "hi", flag: true, count: 3 };

function errorsOf(body: string, schema: object = SCHEMA): readonly string[] {
  const validate = new Ajv({ allErrors: true }).compile(schema);
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

describe("a body that may be called wrong by another name as well", () => {
  const lawfulOf = (schema: object) =>
    withoutRequired({ ...SCHEMA, ...schema }, INPUT).map(({ lawful }) => lawful);

  it.each([
    ["needs more fields than are left", { minProperties: 3 }, [422]],
    ["has another field that needs it", { dependentRequired: { count: ["text"] } }, [422]],
    ["is asked for by a branch", { anyOf: [{ required: ["text"] }, { required: ["n"] }] }, [422]],
    ["has fields enough", { minProperties: 2 }, undefined],
    ["asks for others in branches", { anyOf: [{ required: ["flag"] }] }, undefined],
  ])("%s", (_what, schema, lawful) => {
    expect(lawfulOf(schema)).toEqual([lawful]);
  });

  it("has nothing left but what is no input", () => {
    const schema = { properties: { text: {} }, required: ["text"], minProperties: 1 };
    const [body] = withoutRequired(schema, { text: "hi", priority: "normal" });
    expect(body?.lawful).toEqual([422]);
  });

  it("is longer than a service may take", () => {
    const bodies = (maxLength: number) =>
      withViolation({ type: "object", properties: { text: { type: "string", maxLength } } }, {});
    const long = (maxLength: number) => bodies(maxLength).at(-1)?.lawful;
    expect([long(40), long(4_000)]).toEqual([undefined, [413]]);
  });
});

describe("withViolation", () => {
  it("leaves fields alone that only the service sets", () => {
    const made = { type: "string", maxLength: 5 };
    const bodies = (property: object) =>
      withViolation({ type: "object", properties: { made: property }, required: ["made"] }, {});
    expect(bodies({ ...made, readOnly: true })).toEqual([]);
    expect(bodies({ ...made, readOnly: false })).toEqual(bodies(made));
    expect(bodies(made)).not.toEqual([]);
  });

  it("breaks members of objects and elements of lists, beside those that are right", () => {
    const paper = {
      type: "object",
      properties: {
        size: { type: "string", enum: ["a4", "letter"] },
        sheets: { type: "integer", minimum: 2, maximum: 9 },
      },
      required: ["size", "sheets"],
    };
    const labels = { type: "array", items: { type: "string", maxLength: 3 } };
    const schema = { type: "object", properties: { paper, labels } };
    const bodies = withViolation(schema, {});
    expect(bodies.map(({ body }) => errorsOf(body, schema))).toEqual([
      ["type"],
      ["type", "enum"],
      ["enum"],
      ["enum"],
      ["enum"],
      ["type"],
      ["type"],
      ["minimum"],
      ["maximum"],
      ["type"],
      ["required"],
      ["required"],
      ["type"],
      ["type"],
      ["maxLength"],
    ]);
    const needed = { ...paper, properties: { ...paper.properties, size: { format: "date" } } };
    expect(withViolation({ type: "object", properties: { paper: needed } }, {})).toHaveLength(1);
  });

  it("breaks one field of the schema at a time, by type, by value, or by its name", () => {
    const bodies = withViolation(SCHEMA, INPUT);
    expect(bodies.map(({ body }) => errorsOf(body))).toEqual([
      ["type"],
      ["maxLength"],
      ["type"],
      ["type"],
      ["minimum"],
      ["maximum"],
      ["type"],
      ["type"],
      ["type", "enum"],
      ["enum"],
      ["enum"],
      ["enum"],
      ["type"],
      ["type"],
      ["additionalProperties"],
    ]);
  });

  it.each([
    ["minLength", { type: "string", minLength: 3 }, "xx"],
    ["minLength", { type: "string", minLength: 3 }, "дд"],
    ["maxLength", { type: "string", maxLength: 3 }, "xxxx"],
    ["pattern", { type: "string", pattern: "^[a-z]+$", minLength: 2 }, "~~"],
    ["minimum", { type: "integer", minimum: 5 }, 4],
    ["maximum", { type: "number", maximum: 2 }, 2.002],
    ["exclusiveMinimum", { type: "number", exclusiveMinimum: 0 }, 0],
    ["exclusiveMaximum", { type: "integer", exclusiveMaximum: 7 }, 7],
    ["minItems", { type: "array", items: { type: "integer" }, minItems: 2 }, [1]],
    [
      "maxItems",
      { type: "array", items: { type: "string" }, maxItems: 1 },
      ["plumbline", "plumbline"],
    ],
    ["uniqueItems", { type: "array", items: { type: "boolean" }, uniqueItems: true }, [true, true]],
    ["multipleOf", { type: "number", minimum: 1, multipleOf: 0.5 }, 1.25],
    ["multipleOf", { type: "integer", multipleOf: 4 }, 5],
    ["enum", { type: "integer", enum: [1, 3] }, 4],
  ])("misses %s by as little as can be", (keyword, property, value) => {
    const schema = { type: "object", properties: { field: property } };
    const validate = new Ajv({ allErrors: true, strict: false }).compile(schema);
    const found = withViolation(schema, {}).map(
      ({ body }) => JSON.parse(body) as { field: unknown },
    );
    expect(found).toContainEqual({ field: value });
    validate({ field: value });
    expect(validate.errors?.map((error) => error.keyword)).toEqual([keyword]);
  });

  const margins = {
    type: "object",
    properties: { top: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 } },
    required: ["top"],
    additionalProperties: false,
  };
  const words = { type: "array", items: { type: "string", maxLength: 4 }, uniqueItems: true };

  it.each([
    ["a member that an object needs", { margins }, { margins: {} }, "required"],
    [
      "a member that it does not know",
      { margins },
      { margins: { top: 0.5, plumbline_unknown: 1 } },
      "additionalProperties",
    ],
    ["a bound of a member", { margins }, { margins: { top: 0 } }, "exclusiveMinimum"],
    ["an element that is not the first", { words }, { words: ["plum", "xxxxx"] }, "maxLength"],
    ["a pattern in front of a tail", { code: CODE }, { code: "ab~", text: "" }, "pattern"],
    ["a pattern behind a head", { code: CODE }, { code: "~ab", text: "" }, "pattern"],
    ["a pattern of one line", { code: CODE }, { code: "ab\n~", text: "" }, "pattern"],
    ["a pattern of several letters", { pair: PAIR }, { pair: "xx~" }, "pattern"],
    ["null for what is needed", { text: NEEDED }, { text: null }, "type"],
  ])("tries %s", (_, properties, body, keyword) => {
    const schema = { type: "object", properties, required: ["text"] };
    const input = "code" in properties ? { code: "ab", text: "" } : {};
    const found = withViolation(schema, input).map((each) => JSON.parse(each.body) as unknown);
    expect(found).toContainEqual(body);
    expect(errorsOf(JSON.stringify(body), { ...schema, required: [] })).toEqual([keyword]);
  });

  it("breaks no bound of the length with a text that a pattern does not match", () => {
    const code = { type: "string", pattern: "^[A-Z]\\d", minLength: 5 };
    const schema = { type: "object", properties: { code } };
    const tried = withViolation(schema, {}).filter(({ what }) => what.includes("no match"));
    expect(tried.map(({ body }) => errorsOf(body, schema))).toEqual([["pattern"]]);
  });

  it.each([
    ["looks ahead", "^(?=(a+)+$)"],
    ["looks behind", "(?<!(a+)+)$"],
    ["looks back", "^(a+)+\\1$"],
    ["counts far", "^(?:a{1,2000}|a+)+$"],
    ["counts counts", "^(?:(?:b{40}){40}|a+)+$"],
    ["counts on", "^(?:a{2000,}|a+)+$"],
  ])("searches for no pattern that k6 may never be done with: one that %s", (_, pattern) => {
    const code = "a".repeat(24);
    const properties = { code: { type: "string", pattern } };
    const tried = withViolation({ type: "object", properties }, { code });
    expect(tried.map(({ what }) => what).join("; ")).not.toContain("no match");
  });

  const object = { plumbline: "wrong type" };
  it.each([
    ["a list of types", { type: ["integer", "null"], minimum: 2 }, object],
    ["a list of types and of values", { type: ["string", "null"], enum: ["a", null] }, object],
    ["any of several", { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] }, object],
    ["one of several", { oneOf: [{ type: "string" }, { type: ["array", "null"] }] }, object],
    ["a type or null", { type: "string", nullable: true }, object],
    ["an object or null", { anyOf: [{ type: "object" }, { type: "null" }] }, "plumbline"],
  ])("tries a value of no type of %s", (_, field, value) => {
    const schema = { type: "object", properties: { field } };
    const found = withViolation(schema, {});
    expect(found.map(({ body }) => JSON.parse(body) as unknown)).toEqual([{ field: value }]);
    expect(found.map(({ bound }) => bound)).toEqual(["type of several"]);
    expect(errorsOf(JSON.stringify({ field: value }), schema)).not.toEqual([]);
  });

  it.each([
    ["any object", { anyOf: [{ type: "object" }, { type: "string" }] }],
    ["anything of a choice", { anyOf: [{ type: "integer" }, { enum: [{}] }] }],
    ["anything in one branch", { oneOf: [{ type: "integer" }, {}] }],
    ["what another place says", { anyOf: [{ $ref: "#/definitions/x" }, { type: "null" }] }],
    ["what both may say", { type: "string", anyOf: [{ type: "object" }] }],
    ["types of no known names", { type: ["integer", 7] }],
    ["no type", { type: [] }],
  ])("tries none where the types may hold %s", (_, field) => {
    expect(withViolation({ type: "object", properties: { field } }, {})).toEqual([]);
  });

  it("has no more elements than one schema allows, all different where they must be", () => {
    const schema = { type: "object", properties: { words: { ...words, maxItems: 2 } } };
    const bodies = withViolation(schema, {}).map(({ body }) => JSON.parse(body) as unknown);
    expect(bodies).toContainEqual({ words: ["plu0", "plu1", "plu2"] });
  });

  it("leaves null alone where a validator may make an empty text or 0 of it that is right", () => {
    const properties = { text: { type: "string" }, count: { type: "integer", minimum: 0 } };
    const bodies = withViolation({ properties, required: ["text", "count"] }, {});
    expect(bodies.filter(({ what }) => what.startsWith("null"))).toEqual([]);
  });

  it.each([{}, { properties: [] }, { properties: { any: true, one: { oneOf: [] } } }])(
    "makes none where no wrong value is sure to be refused: %j",
    (schema) => {
      expect(withViolation(schema, {})).toEqual([]);
    },
  );
});

describe("malformedBodies", () => {
  it.each([[INPUT], [{}]])("are no JSON objects, whatever the input: %j", (input) => {
    for (const { body } of malformedBodies(input)) {
      expect(isJsonObject(body), body).toBe(false);
    }
  });

  it("are none to a parser that skips comments", () => {
    const uncommented = malformedBodies(INPUT).map(({ body }) => body.replace(/\/\*.*\*\//, ""));
    expect(uncommented.filter(isJsonObject)).toEqual([]);
  });

  it.each([
    ["none is required", {}, ["", " ", "[]", "null"]],
    ["one is required", { required: ["text"] }, []],
  ])("what holds no field is a bound of its own where %s", (_when, schema, expected) => {
    const bound = malformedBodies(INPUT, schema).filter((each) => each.bound !== undefined);
    expect(bound.map(({ body }) => body)).toEqual(expected);
    expect(new Set(bound.map((each) => each.bound)).size).toBe(expected.length);
  });
});

function isJsonObject(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
