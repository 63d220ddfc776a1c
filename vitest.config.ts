/**
 * How the tests run, as named projects. Those of `npm test`: what is worked out without waiting,
 * and what may wait for all others; a sample of the simulation in real k6, tests that measure times
 * one at a time, and those of processes and sockets side by side, some in a process each.
 * `npm run test:all` runs all projects.
 */

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";
import { LAZY_COLLECTOR } from "./tools/lazy-collector.ts";
import { LONG_PROJECTS } from "./tools/long-projects.ts";

/** Few processes, no socket, no time but a virtual one: many files share a process. */
const PURE = [
  "test/capacity/{baseline,judge-step,scalability,statistics}.test.ts",
  "test/**/*.fuzz.test.ts",
  "test/cli/init/gaps.test.ts",
  "test/contract/**/*.test.ts",
  "test/drawn-cases.test.ts",
  "test/dashboards/{boards,runbooks}.test.ts",
  "test/dashboards/rules/*.test.ts",
  "test/gate/{account-check,again,backlog,collect,jobs-planned,key-roles,merge,plan}.test.ts",
  "test/gate/{accounts,issued,listed,refused,shrunk}-across.test.ts",
  "test/gate/{run-outcome,shared-ids,silence-notes,usual-price}.test.ts",
  "test/kill-matrix/*.test.ts",
  "test/probe/journal/simulation.test.ts",
  "test/probe/tracker/*.test.ts",
  "test/reference/faults/{blind,much-done}.test.ts",
  "test/reference/{core,json-writer,limiters,routing,timestamps}.test.ts",
  "test/report/{baseline,build-report,github,renderers,verdict}.test.ts",
  "test/report/html/markup.test.ts",
  "test/scenarios/**/*.test.ts",
  "test/simulation/**/*.test.ts",
  "test/stranger/*.test.ts",
  "test/fidelity/compare.test.ts",
];

/** Files and sockets, but neither k6 nor a time of their own that a low priority could spoil. */
const PATIENT = [
  "test/capacity/find-capacity.test.ts",
  "test/capacity/compare/simulation.test.ts",
  "test/deploy/compose.test.ts",
  "test/docs/documents.test.ts",
  "test/probe/journal/{damage,group-commit,spent-record}.test.ts",
  "test/reference/faults/quantities.test.ts",
  "test/tidy.test.ts",
];

/**
 * What they measure is of their whole process, or what they change in it stays so: each file has
 * one of its own.
 */
const APART = [
  "test/cli/{bad-options,probe}.test.ts",
  "test/docs/commands.test.ts",
  "test/gate/webhook-flood.test.ts",
  "test/http/certificate.test.ts",
  "test/probe/client/bad-input.test.ts",
  "test/receiver/kept-text.test.ts",
  "test/reference/hostile-clients.test.ts",
  "test/runner/memory-watch.test.ts",
];

/**
 * What they assert is how long something took, by tens of milliseconds at the least, or that no
 * part of a load was overdue, or needs an address that was free a moment ago: one at a time, and no
 * other tests of processes or sockets meanwhile, but those that stand back.
 */
const TIMED = [
  "test/capacity/unpaced.test.ts",
  "test/cli/own-baseline.test.ts",
  "test/cli/probe-beside.test.ts",
  "test/gate/load-in-node.test.ts",
  "test/gate/segments.test.ts",
  "test/probe/operation/busy-machine.test.ts",
  "test/receiver/bounds.test.ts",
  "test/receiver/host-lag.test.ts",
  "test/reference/clock.test.ts",
];

/** In real k6, while nothing else runs but what stands back. */
const FIDELITY = ["test/fidelity/alone.test.ts", "test/fidelity/beside.test.ts"];

/**
 * Those that take longest, longest first: begun last, they would be waited for alone. In real k6,
 * cells that run alone come first: they wait, while what stands back can use the time.
 */
const FIRST = [
  "test/fidelity/alone.test.ts",
  "test/simulation/worlds.test.ts",
  "test/kill-matrix/faults.test.ts",
  "test/stranger/stranger.test.ts",
  "test/kill-matrix/faults-of-webhooks-and-rates.test.ts",
  "test/kill-matrix/all-promises.test.ts",
  "test/simulation/probe/hours.test.ts",
  "test/simulation/probe/quarter-days.test.ts",
  "test/dashboards/rules/rules.test.ts",
  "test/simulation/healthy-choices.test.ts",
  "test/kill-matrix/faults-under-load.test.ts",
  "test/simulation/probe/incidents/incidents.test.ts",
  "test/contract/judges/rate/uneven-requests.test.ts",
  "test/kill-matrix/determinism.test.ts",
  "test/probe/journal/simulation.test.ts",
  "test/simulation/doubts.test.ts",
  "test/simulation/shards.test.ts",
  "test/simulation/others-use.test.ts",
  "test/simulation/probe/crashes.test.ts",
  "test/simulation/hostile/hostile.test.ts",
  "test/probe/tracker/simulation.test.ts",
  "test/scenarios/rate-limit/limits-of-any-size.test.ts",
  "test/reference/faults/blind.test.ts",
  "test/simulation/simulated-gate.test.ts",
  "test/simulation/judged-again.test.ts",
  "test/probe/operation/unsigned-webhook.test.ts",
  "test/cli/stopped.test.ts",
  "test/docs/commands.test.ts",
  "test/cli/secrets.test.ts",
  "test/gate/hostile-service.test.ts",
  "test/probe/lost-answer.test.ts",
  "test/tools/pack.test.ts",
  "test/deploy/kubernetes/test-run.test.ts",
  "test/child/starved.test.ts",
  "test/tidy.test.ts",
  "test/probe/journal/spent-record.test.ts",
  "test/probe/client/bad-input.test.ts",
  "test/probe/operation/webhook-level.test.ts",
  "test/probe/operation/runs/aftermath.test.ts",
  "test/probe/operation/answer-watch.test.ts",
  "test/cli/gate.test.ts",
  "test/gate/forged-webhook.test.ts",
  "test/gate/hostile-names.test.ts",
  "test/runner/k6-isolation.test.ts",
  "test/cli/capacity.test.ts",
  "test/runner/k6-entries.test.ts",
  "test/probe/journal/damage.test.ts",
  "test/cli/compare.test.ts",
  "test/report/html/browser.test.ts",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = FIRST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? FIRST.length : at;
    };
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

const EACH = {
  // Node runs the sources as they are, as users do: nothing is transformed, nothing is mocked.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  pool: "forks",
  maxConcurrency: 200,
  // Ours: it ends what would never end; a busy machine takes ten times as long as an idle one.
  testTimeout: 10 * 60_000,
  hookTimeout: 10 * 60_000,
  teardownTimeout: 60_000,
} as const;

/** Ours: tests of processes and sockets wait for most of their time. */
const WAITING = 6 * availableParallelism();

/**
 * Ours: these stand back behind all others (`tools/check.ts`), and may take a hundred times as long
 * as alone; it ends what would never end.
 */
const PATIENCE = { testTimeout: 15 * 60_000, hookTimeout: 15 * 60_000 };

const LONG = Object.entries(LONG_PROJECTS);

/** Groups of one number run together. */
const inGroup = (groupOrder: number, maxWorkers: number) => {
  return { maxWorkers, sequence: { groupOrder } };
};

export default defineConfig({
  test: {
    allowOnly: false,
    passWithNoTests: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...EACH,
          ...inGroup(0, availableParallelism()),
          name: "pure",
          ...PATIENCE,
          execArgv: [...LAZY_COLLECTOR],
          isolate: false,
          include: PURE,
        },
      },
      {
        test: {
          ...EACH,
          ...inGroup(1, 2 * availableParallelism()),
          ...PATIENCE,
          name: "patient",
          isolate: false,
          include: PATIENT,
        },
      },
      { test: { ...EACH, ...inGroup(2, 1), name: "fidelity", include: FIDELITY } },
      { test: { ...EACH, ...inGroup(3, 1), name: "timed", include: TIMED } },
      {
        test: {
          ...EACH,
          ...inGroup(4, WAITING),
          name: "tests",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: [
            ...[...PURE, ...PATIENT, ...APART, ...TIMED, ...FIDELITY],
            ...LONG.flatMap(([, { files }]) => files),
          ],
        },
      },
      {
        test: {
          ...EACH,
          ...inGroup(4, WAITING),
          name: "apart",
          include: APART,
        },
      },
      ...LONG.map(([name, { files, group }]) => ({
        test: { ...EACH, ...inGroup(4 + group, 2), name, include: [...files] },
      })),
    ],
  },
});
