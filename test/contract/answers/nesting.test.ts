/** How deep a text of JSON nests, and what is read of one that nests too deep. */

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { jsonReader } from "../../../contract/answers/json-body.ts";
import { nestsTooDeep } from "../../../contract/answers/nesting.ts";
import { asRead } from "../../../contract/requests/exchange.ts";
import { covers } from "../../../tools/robustness/covers.ts";

const nested = (levels: number, open = "[", close = "]") =>
  open.repeat(levels) + close.repeat(levels);

describe("a text", () => {
  it.each([
    ["of 500 lists", nested(500)],
    ["of 500 lists, after others", `[${`${nested(499)},`.repeat(20)}0]`],
    ["of 500 lists and a thousand brackets in a string", nested(499, '["[[{{",')],
    ["of a thousand lists side by side", `[${"[],".repeat(1_000)}0]`],
    ["of brackets in a string", JSON.stringify(nested(2_000))],
    ["of brackets after an escaped quote", JSON.stringify(`"${nested(2_000)}`)],
    ["of brackets after escaped backslashes and a quote", `["\\\\\\"${"[".repeat(2_000)}"]`],
    ["of brackets in a name", JSON.stringify({ [nested(2_000)]: 1 })],
    ["without a bracket", "x".repeat(10_000)],
  ])("%s does not nest too deep", (_, text) => {
    expect(nestsTooDeep(text)).toBe(false);
  });

  it.each([
    ["of 501 lists", nested(501)],
    ["of 501 objects", nested(501, '{"a":', "}").replace(":}", ":0}")],
    ["of lists and objects", nested(251, '[{"a":', "}]")],
    ["of lists around strings with their ends", nested(501, '["]]}}",')],
    ["after a string that ends in a backslash", `["\\\\",${nested(501)}]`],
    ["after an escaped quote", `["\\"",${nested(501)}]`],
    ["that is not closed", "[".repeat(20_000)],
  ])("%s does", (_, text) => {
    expect(nestsTooDeep(text)).toBe(true);
  });
});

describe(covers("a body that nests too deep", "19 gate", "19 probe"), () => {
  const body = `{"output":{"data":${nested(20_000)}}}`;
  const came = { headers: { date: "today" }, body, error: null };

  it("is no value", () => {
    expect(jsonReader()({ body })).toBeUndefined();
    expect(jsonReader()({ body: nested(500) })).toHaveLength(1);
  });

  it("is searched for once, by who received it, and by any reader of another body", () => {
    const split = vi.spyOn(String.prototype, "split");
    onTestFinished(() => split.mockRestore());
    const list = `[${"[],".repeat(1_001)}0]`;
    const read = asRead({ ...came, status: 200, body: list });
    const counted = split.mock.calls.length;
    expect(counted).toBeGreaterThan(0);
    expect(jsonReader()({ ...read })).toHaveLength(1_002);
    expect(split.mock.calls.length).toBe(counted);
    expect(jsonReader()({ body: nested(list.length / 2) })).toBeUndefined();
    expect(split.mock.calls.length).toBeGreaterThan(counted);
  });

  it.each([200, 202, 400, 401, 404])("is no answer with status %i", (status) => {
    const none = { status: 0, headers: {}, body: "", error: "unread" };
    expect(asRead({ ...came, status })).toEqual(none);
  });

  it.each([429, 500, 503])("leaves status %i, which tells by itself", (status) => {
    expect(asRead({ ...came, status })).toEqual({ ...came, status, body: "" });
  });
});
