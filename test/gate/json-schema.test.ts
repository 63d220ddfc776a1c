/** Validators for schemas that a service publishes, in each draft that it may name. */

import { describe, expect, it } from "vitest";
import { compileSchema } from "../../gate/json-schema.ts";
import { drawnCases } from "../drawn-cases.ts";

const FIELDS = {
  type: "object",
  properties: { seconds: { type: "integer", minimum: 1 } },
  required: ["seconds"],
  additionalProperties: false,
};

const DIALECTS = [
  undefined,
  "http://json-schema.org/draft-04/schema#",
  "http://json-schema.org/draft-06/schema#",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft-07/schema",
  "https://json-schema.org/draft/2019-09/schema",
  "https://json-schema.org/draft/2020-12/schema",
  "https://spec.openapis.org/oas/3.1/dialect/base",
];

describe("compileSchema", () => {
  it.each(DIALECTS)("tells a good input from bad ones in dialect %s", ($schema) => {
    const schema = $schema === undefined ? FIELDS : { $schema, ...FIELDS };
    const { validate, problem } = compileSchema(schema);
    expect(problem).toBeNull();
    expect(validate?.({ seconds: 8 })).toEqual([]);
    expect(validate?.({ seconds: "many" })).toEqual(["/seconds must be integer"]);
    expect(validate?.({})).toEqual(["the input must have required property 'seconds'"]);
    expect(validate?.({ seconds: 0, more: 1 })).toHaveLength(2);
    expect(validate?.({ seconds: 8, more: 1 })?.[0]).toMatch(/additional properties: "more"$/);
  });

  it.each([
    ["an unknown dialect", { $schema: "https://example.com/own" }, /a dialect unknown here/],
    ["a type that is none", { type: "number-ish" }, /schema is invalid/],
    ["a reference to elsewhere", { $ref: "https://example.com/x.json" }, /can't resolve reference/],
    ["a pattern that is none", { type: "string", pattern: "(" }, /Invalid regular expression/],
  ])("says why there is no validator for %s", (_, schema, problem) => {
    const compiled = compileSchema(schema);
    expect(compiled.validate).toBeNull();
    expect(compiled.problem).toMatch(problem);
  });

  it("takes unknown keywords and formats for comments", () => {
    const schema = { type: "string", format: "our-own", "x-order": 3 };
    expect(compileSchema(schema).validate?.("anything")).toEqual([]);
  });

  it("answers at once also for a schema that asks to be asynchronous", () => {
    const { validate } = compileSchema({ $async: true, ...FIELDS });
    expect(validate?.({})).toHaveLength(1);
  });

  it("begins anew with a schema that a busy machine did not let it read in time", () => {
    let reads = 0;
    const field = {
      // No metaschema reads it: what stands still is the making of the validator.
      get formatMaximum() {
        reads += 1;
        if (reads === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
        return undefined;
      },
    };
    expect(compileSchema({ properties: { field } }).problem).toBeNull();
    expect(reads).toBeGreaterThan(1);
  });

  // 600 characters keep a backtracking engine busy for longer than there are years.
  const slow = [
    ["nested repeats", { pattern: "^([^\\n]+\\s?)*z$" }],
    ["alternatives alike", { pattern: "^(a|a)*$" }],
    ["a lookahead", { pattern: "^(?=(a+)+$)" }],
    ["repeats in a part", { allOf: [{ pattern: "^(\\w+\\s?)*$" }] }],
  ] as const;
  it.each(drawnCases("slow patterns", slow, 4))(
    "does not wait for a slow pattern: %s",
    (_, bound) => {
      const text = `${"a".repeat(600)}!`;
      const { validate } = compileSchema({ properties: { text: { type: "string", ...bound } } });
      expect(validate?.({ text: "z" })).toBeInstanceOf(Array);
      expect(validate?.({ text })).toBeNull();
    },
  );
});
