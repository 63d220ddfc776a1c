/** The closing line of `npm test` says what the test runner found, and never too little. */

import path from "node:path";
import { describe, expect, it } from "vitest";
import { addCounts, countTests, formatCounts } from "../../tools/test-counts.ts";

const file = (status: string, ...statuses: string[]) => ({
  name: path.resolve("test/some.test.ts"),
  status,
  message: status === "failed" ? "SyntaxError: no such export\n    at line 3" : "",
  assertionResults: statuses.map((each) => ({
    status: each,
    fullName: "a tool works",
    failureMessages: each === "failed" ? ["AssertionError: expected 1 to be 2\n    at here"] : [],
  })),
});

const result = (passed: number, failed: number, files: unknown[]) =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: files,
  });

const GOOD = result(3, 0, [file("passed", "passed", "passed", "passed")]);

describe("countTests", () => {
  it.each([
    ["a good run", { result: GOOD, exitCode: 0 }, "3 passed, 0 failed, 0 skipped"],
    [
      "a failed test",
      {
        result: result(1, 1, [file("failed", "passed", "failed")]),
        exitCode: 1,
      },
      "1 passed, 1 failed, 0 skipped",
    ],
    [
      "a file that could not be loaded",
      {
        result: result(1, 0, [file("passed", "passed"), file("failed")]),
        exitCode: 1,
      },
      "1 passed, 1 failed, 0 skipped",
    ],
    [
      "an error outside of any test",
      { result: GOOD, exitCode: 1 },
      "3 passed, 1 failed, 0 skipped",
    ],
    ["a runner that left nothing", { result: null, exitCode: 1 }, "0 passed, 1 failed, 0 skipped"],
  ])("counts %s", (_, run, line) => {
    expect(formatCounts(countTests(run))).toBe(line);
  });
});

describe("what failed", () => {
  it.each([
    [
      "a test, by its file and name, with the first line of why",
      { result: result(0, 1, [file("failed", "failed")]), exitCode: 1 },
      "test/some.test.ts > a tool works: AssertionError: expected 1 to be 2",
    ],
    [
      "a file that could not be loaded",
      { result: result(0, 0, [file("failed")]), exitCode: 1 },
      "test/some.test.ts: SyntaxError: no such export",
    ],
    [
      "an error outside of any test",
      { result: GOOD, exitCode: 1 },
      "the test runner: an error outside of any test",
    ],
    ["no result", { result: null, exitCode: 1 }, "the test runner left no result"],
  ])("is told: %s", (_, run, line) => {
    expect(countTests(run).failures).toEqual([line]);
  });
});

describe("addCounts", () => {
  it("adds failed checks and the tests of several runs", () => {
    const checks = { passed: 0, failed: 2, skipped: 0, failures: ["types", "lint"] };
    const tests = countTests({ result: GOOD, exitCode: 0 });
    const sum = { passed: 3, failed: 2, skipped: 0, failures: ["types", "lint"] };
    expect(addCounts(checks, tests)).toEqual(sum);
  });
});
