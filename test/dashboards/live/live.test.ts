/** A real Prometheus on real probes: each fault raises its alerts, in time, and no other. */

import { expect, it } from "vitest";
import { temporaryFolder } from "../../runner/temporary-folder.ts";
import { CASES } from "./cases.ts";
import { LIVE_RULES } from "./pace.ts";
import { startPrometheus } from "./prometheus.ts";
import { faultsOf, runCases } from "./run-cases.ts";

/** Ours: twice what it takes on two idle cores, and a build of Prometheus before. */
const TIME_MS = 2_400_000;

it(
  "every fault raises the alerts that it is to raise, in time, and no other; they clear",
  async () => {
    const folder = await temporaryFolder();
    const tell = (line: string) => void process.stderr.write(`${line}\n`);
    const prometheus = await startPrometheus(
      folder,
      LIVE_RULES,
      CASES.map(({ id }) => id),
    );
    try {
      const results = await runCases(CASES, prometheus, folder, tell);
      const wrong = results.map((each) => [each.case.id, faultsOf(each)] as const);
      expect(wrong.filter(([, faults]) => faults.length > 0)).toEqual([]);
    } finally {
      await prometheus.close();
    }
  },
  TIME_MS,
);
