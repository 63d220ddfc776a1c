/** What two runs together say of a promise that each of them left in doubt. */

import { expect, it } from "vitest";
import type { JobHistory } from "../../contract/jobs/job-history.ts";
import type { EvidenceRecord } from "../../contract/run/evidence.ts";
import { OBSERVATION_VERSION } from "../../contract/run/observation.ts";
import type { ClockSet } from "../../contract/timeline/clock-offset.ts";
import type { Finding } from "../../contract/verdict.ts";
import { inconclusive, kept } from "../../contract/verdict.ts";
import { withSecondAnswers } from "../../gate/again.ts";
import type { ScenarioEvidence } from "../../gate/run-outcome.ts";
import { run, T0 } from "../contract/judges/job/fixtures.ts";
import { times } from "../contract/judges/job/table.ts";
import { BASE_PLAN } from "../runner/base-plan.ts";

const DURATION = "job.duration";
const PLAN = { ...BASE_PLAN, promises: [DURATION, "job.timestamps"] as const };

/** All jobs state durations that no clock that was set explains. */
const WRONG = run({
  variant: "A",
  edit: (body) => {
    const told = times(body);
    if (told.duration_ms) told.duration_ms += 60_000;
  },
});

function rawOf(jobs: readonly JobHistory[]): readonly EvidenceRecord[] {
  const scenario = "contract";
  return [
    { type: "registered", scenario, promises: PLAN.promises, atMs: 0 },
    ...jobs.map((job): EvidenceRecord => {
      const value = { ...job, part: null, gaveUpAtMs: null };
      const observed = { kind: "contract.job", value } as const;
      return { type: "observation", version: OBSERVATION_VERSION, scenario, ...observed };
    }),
    { type: "ended", scenario, atMs: 1 },
  ];
}

function evidence(finding: Finding, again: ScenarioEvidence["again"]): ScenarioEvidence {
  return {
    scenario: { name: "contract", promises: PLAN.promises },
    outcome: "ended",
    trouble: null,
    raw: rawOf(WRONG),
    records: [],
    durationMs: 1,
    again,
    registered: new Set(PLAN.promises),
    findings: [finding, kept("job.timestamps", "in order")],
  };
}

function clock(beforeMs: number, afterMs: number): ClockSet {
  const at = (ms: number) => ({ lowMs: ms - 5, highMs: ms + 5, atMs: T0 });
  return { before: at(beforeMs), after: at(afterMs), steady: null };
}

it.each<[title: string, first: readonly ClockSet[], second: readonly ClockSet[], verdict: string]>([
  ["for settings that deny each other", [clock(0, -900)], [clock(0, -900)], "broken"],
  ["for a setting in each", [clock(0, -900)], [clock(-900, -1_800)], "inconclusive"],
  ["for a setting in the first alone", [clock(0, -900)], [], "inconclusive"],
  ["for a setting in the second alone", [], [clock(0, -900)], "inconclusive"],
  ["for other reasons", [], [], "inconclusive"],
])("in doubt %s", (_, first, second, verdict) => {
  const doubt = (once: readonly ClockSet[]) => inconclusive(DURATION, "times disagree", { once });
  const runs = [evidence(doubt(first), null), evidence(doubt(second), [DURATION])];
  const found = withSecondAnswers(runs, PLAN).flatMap(({ findings }) => findings);
  expect(found.map((each) => [each.promise, each.verdict])).toEqual([
    [DURATION, verdict],
    ["job.timestamps", "kept"],
  ]);
});
