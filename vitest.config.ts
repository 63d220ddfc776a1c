/** How the tests run: real processes and sockets, so two workers and generous limits. */

import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Folders of the longest files. */
const LONG = /\/test\/(kill-matrix|healthy)\//;

/** What takes longest begins first, and the rest fills the gaps, also where no times are known. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files.filter(({ moduleId }) => !LONG.test(moduleId)));
    return [...files.filter(({ moduleId }) => LONG.test(moduleId)), ...rest];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    maxConcurrency: 12,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
