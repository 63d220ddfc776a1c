/** Counts what the test runner really ran, from the JSON that it writes. */

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

interface RunnerResult {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: readonly { status: string; assertionResults: readonly { status: string }[] }[];
}

export interface TestRun {
  /** The runner's JSON; null when it left none. */
  result: string | null;
  exitCode: number;
}

/**
 * A file that fails without a failed test (it could not be loaded) counts as one failure, and so
 * does a runner that ends badly with nothing failed (an error outside of any test).
 */
export function countTests({ result, exitCode }: TestRun): TestCounts {
  if (result === null) return { passed: 0, failed: 1, skipped: 0 };
  const run = JSON.parse(result) as RunnerResult;
  const unloadable = run.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((each) => each.status !== "failed"),
  ).length;
  const failedTests = run.numFailedTests + unloadable;
  const unexplained = exitCode !== 0 && failedTests === 0 ? 1 : 0;
  return {
    passed: run.numPassedTests,
    failed: failedTests + unexplained,
    skipped: run.numPendingTests + run.numTodoTests,
  };
}

export function addCounts(one: TestCounts, other: TestCounts): TestCounts {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
  };
}

export function formatCounts({ passed, failed, skipped }: TestCounts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
