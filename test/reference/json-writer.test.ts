/** A body whose members come in any order says what it said before. RFC 8259 §4. */

import { expect, it } from "vitest";
import { jsonWriter } from "../../reference/json-writer.ts";
import { stream } from "../../simulation/chance.ts";

const BODY = '{"a":1,"b":{"c":[{"d":null,"e":"f"}],"g":{}},"h":true}';

it("has each of its members once, and begins with each of them in time", () => {
  const write = jsonWriter({ jsonStyle: "compact", fieldOrder: "varying" }, stream(1, "order"));
  const texts = Array.from({ length: 50 }, () => write(JSON.parse(BODY)));
  for (const text of texts) expect(JSON.parse(text)).toEqual(JSON.parse(BODY));
  expect(new Set(texts.map((text) => text.slice(0, 4)))).toEqual(new Set(['{"a"', '{"b"', '{"h"']));
});

it("keeps a member that is called like a prototype", () => {
  const write = jsonWriter({ jsonStyle: "compact", fieldOrder: "varying" }, () => 0);
  expect(write(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
});
