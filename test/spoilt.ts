/** Files that are not what was written: cut, spoilt, mixed up, or with another value somewhere. */

import fc from "fast-check";
import { mutated } from "./contract/decode/bodies.ts";

/** One harm to a text; all of them fast enough for thousands of runs on a file of kilobytes. */
const harm: fc.Arbitrary<(text: string) => string> = fc
  .record({
    kind: fc.constantFrom("cut", "remove", "insert", "repeat", "replace"),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat(60),
    junk: fc.oneof(
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.constantFrom(
        "\n",
        "\0",
        "{",
        "}",
        "[",
        '"',
        "&a",
        "*a",
        "null",
        "-1",
        "1e309",
        "!!js",
        "\t",
      ),
    ),
  })
  .map(({ kind, at, length, junk }) => (text: string) => {
    const from = Math.floor(at * text.length);
    const [before, rest] = [text.slice(0, from), text.slice(from)];
    if (kind === "cut") return before;
    if (kind === "remove") return before + rest.slice(length);
    if (kind === "insert") return before + junk + rest;
    if (kind === "repeat") return before + rest.slice(0, length) + rest;
    return before + junk + rest.slice(junk.length);
  });

/** The text after one to three harms. */
export function spoilt(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(text, fc.array(harm, { minLength: 1, maxLength: 3 }))
    .map(([whole, harms]) => harms.reduce((left, one) => one(left), whole));
}

/** Lines of JSON in which one has another value somewhere. */
export function withOtherValue(lines: readonly string[]): fc.Arbitrary<string> {
  return fc
    .nat(lines.length - 1)
    .chain((at) =>
      mutated(fc.constant(JSON.parse(lines[at] ?? "null"))).map((other) =>
        lines.with(at, JSON.stringify(other)).join("\n"),
      ),
    );
}
