/** Counts what the test runner really ran, from the JSON that it writes. */

import path from "node:path";
import { ROOT } from "../runner/package-root.ts";

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, each with the first line of why. */
  failures: readonly string[];
}

interface AssertionResult {
  status: string;
  fullName: string;
  failureMessages: readonly string[];
}

interface FileResult {
  name: string;
  status: string;
  message: string;
  assertionResults: readonly AssertionResult[];
}

interface RunnerResult {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: readonly FileResult[];
}

export interface TestRun {
  /** The runner's JSON; null when it left none. */
  result: string | null;
  exitCode: number;
}

/** Ours: enough for an assertion with its values, in a log that is cut from its middle. */
const REASON_CHARACTERS = 400;

function failure(where: string, message: string): string {
  const [reason = ""] = message.split("\n");
  return reason === "" ? where : `${where}: ${reason.slice(0, REASON_CHARACTERS)}`;
}

function failuresIn({ name, status, message, assertionResults }: FileResult): readonly string[] {
  const file = path.relative(ROOT, name);
  const failed = assertionResults.filter((each) => each.status === "failed");
  if (status === "failed" && failed.length === 0) return [failure(file, message)];
  return failed.map(({ fullName, failureMessages: [first = ""] }) =>
    failure(`${file} > ${fullName}`, first),
  );
}

/**
 * A file that fails without a failed test (it could not be loaded) counts as one failure, and so
 * does a runner that ends badly with nothing failed (an error outside of any test).
 */
export function countTests({ result, exitCode }: TestRun): TestCounts {
  if (result === null) {
    return { passed: 0, failed: 1, skipped: 0, failures: ["the test runner left no result"] };
  }
  const run = JSON.parse(result) as RunnerResult;
  const told = run.testResults.flatMap(failuresIn);
  const unexplained =
    exitCode !== 0 && told.length === 0 ? ["the test runner: an error outside of any test"] : [];
  const failures = [...told, ...unexplained];
  return {
    passed: run.numPassedTests,
    failed: Math.max(failures.length, run.numFailedTests),
    skipped: run.numPendingTests + run.numTodoTests,
    failures,
  };
}

export function addCounts(one: TestCounts, other: TestCounts): TestCounts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
  };
}

export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
