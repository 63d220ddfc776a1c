/** How the tests run: one file at a time, as they measure times on real processes and sockets. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 1,
    maxConcurrency: 200,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
