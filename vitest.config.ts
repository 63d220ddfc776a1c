/**
 * How the tests run, as named projects. Those of `npm test`: what is worked out in this process in
 * threads, tests of processes and sockets side by side, those that measure times one at a time,
 * and a sample of the simulation in real k6. `npm run test:all` runs all projects.
 */

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LONG_PROJECTS } from "./tools/long-projects.ts";

/** No process, no socket, no time but a virtual one: many files share a thread. */
const PURE = [
  "test/contract/**/*.test.ts",
  "test/kill-matrix/*.test.ts",
  "test/scenarios/**/*.test.ts",
  "test/simulation/**/*.test.ts",
  "test/fidelity/compare.test.ts",
];

/**
 * What they assert is how long something took, or needs an address that was free a moment ago:
 * nothing else may run meanwhile.
 */
const TIMED = [
  "test/capacity/unpaced.test.ts",
  "test/cli/own-baseline.test.ts",
  "test/cli/probe-beside.test.ts",
  "test/probe/operation/busy-machine.test.ts",
  "test/receiver/bounds.test.ts",
  "test/receiver/host-lag.test.ts",
  "test/reference/clock.test.ts",
];

const FIDELITY = ["test/fidelity/fidelity.test.ts"];

const EACH = {
  // Node runs the sources as they are, as users do: nothing is transformed, nothing is mocked.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  pool: "forks",
  maxConcurrency: 200,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  teardownTimeout: 60_000,
} as const;

/** Ours: as many files wait as leave two cores something to do. */
const SIDE_BY_SIDE = availableParallelism() + 1;

const LONG = Object.entries(LONG_PROJECTS);

/** Groups of one number run together, each file of them in a worker of its own. */
const inGroup = (groupOrder: number, maxWorkers: number) => {
  return { maxWorkers, sequence: { groupOrder } };
};

export default defineConfig({
  test: {
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      {
        test: {
          ...EACH,
          ...inGroup(1, SIDE_BY_SIDE),
          name: "pure",
          pool: "threads",
          isolate: false,
          include: PURE,
        },
      },
      {
        test: {
          ...EACH,
          ...inGroup(1, SIDE_BY_SIDE),
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...PURE, ...TIMED, ...FIDELITY, ...LONG.flatMap(([, { files }]) => files)],
        },
      },
      { test: { ...EACH, ...inGroup(2, 1), name: "timed", include: TIMED } },
      { test: { ...EACH, ...inGroup(3, 1), name: "fidelity", include: FIDELITY } },
      ...LONG.map(([name, { files, group }]) => ({
        test: { ...EACH, ...inGroup(3 + group, 2), name, include: [...files] },
      })),
    ],
  },
});
