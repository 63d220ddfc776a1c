/** How the tests run: real processes and sockets, so two workers and generous limits. */

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    maxConcurrency: 6,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
