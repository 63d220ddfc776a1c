/** Whatever a target file holds: it is a target, or its problems are told with their places. */

import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parseTargetFile } from "../../../cli/target-file/target-file.ts";
import { UsageError } from "../../../cli/usage-error.ts";
import { ROOT } from "../../../runner/package-root.ts";
import { mutated } from "../../contract/decode/bodies.ts";
import { spoilt } from "../../spoilt.ts";

/** Every variable that a file may name has a value that nobody may see. */
const SECRET = "canary-value-of-a-variable";
const ENVIRONMENT = new Proxy({} as Record<string, string>, {
  get: (_, name) => `${SECRET}-${String(name)}`,
});
const PAGE = path.join(ROOT, "docs/target-file.md");
const BLOCKS = [...readFileSync(PAGE, "utf8").matchAll(/```yaml\n([\s\S]*?)```/g)];
/** The longest example of the manual, which has most sections. */
const [EXAMPLE = ""] = BLOCKS.map(([, text = ""]) => text).sort((a, b) => b.length - a.length);

/** The problems told; none where it is a target. */
function problemsOf(text: string): readonly string[] {
  try {
    parseTargetFile(text, "t.yaml", ENVIRONMENT);
    return [];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    return error.problems;
  }
}

function expectClear(text: string): void {
  const problems = problemsOf(text);
  expect(problems.length).toBeLessThanOrEqual(51);
  for (const problem of problems) {
    expect(problem).toMatch(/^(t\.yaml(:\d+:\d+)?: \S|and \d+ more problems)/);
    expect(problem).not.toMatch(/stack|internal|undefined is|\[object/i);
    expect(problem).not.toContain(SECRET);
    expect(problem.length).toBeLessThanOrEqual(1_000);
  }
}

const KINDS: [name: string, texts: fc.Arbitrary<string>, numRuns: number][] = [
  ["any text", fc.string({ unit: "binary", maxLength: 300 }), 1_000],
  ["a file that was spoilt", spoilt(fc.constant(EXAMPLE)), 250],
  [
    "a file with another value somewhere",
    mutated(fc.constant(parse(EXAMPLE))).map((value) => JSON.stringify(value) ?? ""),
    400,
  ],
];

describe("a target file", () => {
  it("as in the manual is one", () => {
    expect(problemsOf(EXAMPLE)).toEqual([]);
  });

  it.each(KINDS)("of %s is a target, or told to be none", (_, texts, numRuns) => {
    fc.assert(fc.property(texts, expectClear), { seed: 20_260_104, numRuns });
  });

  /** What was found so: an end of the stack, texts without end, names that only Node has. */
  it.each([
    ["nesting without end", "[".repeat(20_000)],
    ["nesting that is closed", `target: ${"[".repeat(5_000)}${"]".repeat(5_000)}`],
    ["lists in lists", "- ".repeat(20_000)],
    ["thousands of bad keys", `keys:\n${"  - {}\n".repeat(3_000)}`],
    [
      "thousands of unknown names",
      Array.from({ length: 1_000 }, (_, at) => `k${at}: 1`).join("\n"),
    ],
    ["a value of a hundred kilobytes", `target: { baseUrl: "${"x".repeat(100_000)}" }`],
    ["bytes", "target: !!binary aGk="],
    ["a name that is a list", "? [1, 2]\n: d"],
    ["colours of a terminal", 'target: { baseUrl: "http://x\\e[31m" }'],
    ["itself", "target: &a { baseUrl: *a }"],
    ["names that every object has", '{"__proto__": {"target": 1}, "constructor": 1}'],
  ])("of %s is told to be none, in some lines", (_, text) => {
    expectClear(text);
    expect(problemsOf(text).join()).not.toMatch(/readBigUInt|[^\n -\uffff]/);
    expect(problemsOf(text)).not.toEqual([]);
  });
});
