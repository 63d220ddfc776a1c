/** Only a run that came to its own end is believed. */

import { describe, expect, it } from "vitest";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { evidenceOf } from "../../gate/run-outcome.ts";
import type { ScenarioRun } from "../../runner/scenario-process.ts";
import { BASE_PLAN } from "../runner/base-plan.ts";

const SCENARIO = {
  name: "contract",
  script: "/c.ts",
  promises: ["auth.missing-key"] as const,
  jobs: 3,
};
const ENDED: EvidenceRecord = { type: "ended", scenario: "contract", atMs: 0 };

const BASE_RUN: ScenarioRun = {
  exitCode: 0,
  timedOut: false,
  interrupted: false,
  outgrown: false,
  records: [ENDED],
  dropped: 0,
  stderrTail: "",
  durationMs: 2_000,
};

const CASES: [
  title: string,
  changes: Partial<ScenarioRun>,
  outcome: string,
  trouble: string | null,
][] = [
  ["a whole run", {}, "ended", null],
  ["a run that crossed thresholds", { exitCode: 99 }, "ended", null],
  [
    "a run without an ended record",
    { records: [], stderrTail: "Error: boom\n\tat default (file:///c.ts:1)" },
    "crashed",
    "died after 2 s with exit code 0: Error: boom",
  ],
  ["a script error", { exitCode: 107 }, "crashed", "died after 2 s with exit code 107"],
  ["a killed k6", { exitCode: null }, "crashed", "died after 2 s with a signal"],
  [
    "lost evidence",
    { dropped: 3 },
    "crashed",
    "left 3 lines of evidence that can't be read or are too long",
  ],
  ["a hang", { timedOut: true, records: [] }, "timed-out", "hung and was stopped after 2 s"],
  [
    "a scenario that k6 ended, as it took too long",
    { records: [], stderrTail: "No script iterations fully finished, consider making it longer\n" },
    "timed-out",
    "was stopped after 2 s, as its time was over",
  ],
  [
    "a k6 that read answers without end",
    { outgrown: true, exitCode: null, records: [] },
    "crashed",
    "took all the memory that it may have after 2 s, and was killed",
  ],
  ["Ctrl-C", { interrupted: true, exitCode: 105 }, "interrupted", "was interrupted"],
];

describe("evidenceOf", () => {
  it.each(CASES)("tells %s", (_, changes, outcome, trouble) => {
    expect(
      evidenceOf({ scenario: SCENARIO, plan: BASE_PLAN }, { ...BASE_RUN, ...changes }, false),
    ).toMatchObject({
      outcome,
      trouble,
    });
  });
});
