/**
 * How the tests run: one file at a time, as they measure times on real processes and sockets; but
 * for the longest ones, which wait more than they work: two of these at a time.
 */

import { defineConfig } from "vitest/config";

/** These two together take less than the one beside them. */
const LONGEST = "test/kill-matrix/real/faults-over-time.test.ts";
const BESIDE_IT = ["test/healthy/healthy.test.ts", "test/kill-matrix/real/faults.test.ts"];

const EACH = {
  pool: "forks",
  maxConcurrency: 200,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  teardownTimeout: 60_000,
} as const;

export default defineConfig({
  test: {
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...EACH,
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [LONGEST, ...BESIDE_IT],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      // Groups of one number run together, each file of them in a worker of its own.
      {
        test: {
          ...EACH,
          name: "faults over time",
          include: [LONGEST],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...EACH,
          name: "long tests",
          include: BESIDE_IT,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
