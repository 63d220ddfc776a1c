/** Makes comparison.json out of a comparison that has ended. */

import { targetHead } from "../../contract/target.ts";
import { packageVersion } from "../../runner/package-root.ts";
import type { Machine } from "../machine.ts";
import { metricReports, verdictOf } from "./assess.ts";
import type { Judged } from "./decision.ts";
import { ALPHA } from "./decision.ts";
import type { Margins, MetricName } from "./metrics.ts";
import type { ComparisonReport, SavedBlocks } from "./model.ts";
import { COMPARISON_SCHEMA_VERSION } from "./model.ts";
import type { Block } from "./round.ts";
import type { Ending } from "./run-comparison.ts";
import type { Subject } from "./side.ts";

export interface BuildInput {
  kind: ComparisonReport["kind"];
  rounds: readonly (readonly Block[])[];
  judged: readonly Judged<MetricName>[];
  margins: Margins;
  ending: Ending;
  discarded: number;
  roundsMax: number;
  load: ComparisonReport["load"];
  base: ComparisonReport["base"];
  candidate: ComparisonReport["candidate"];
  seed: number;
  startedAtMs: number;
  finishedAtMs: number;
  machine: Machine;
  notes: readonly string[];
  /** Why nothing is claimed, whatever the intervals say; null: they may speak. */
  withheld: string | null;
}

/** Why a comparison was cut short, for metrics that are left open; null where it ran its course. */
const CUT_SHORT: Readonly<Record<Ending, string | null>> = {
  settled: "ended early, as something is worse already",
  full: null,
  budget: "ended early, as the budget does not allow another round",
  throttled: "ended early, as requests were answered 429 although the load is below the plan",
  "slow generator": "ended early, as this machine was too busy to generate the load on time",
  interrupted: "interrupted",
};

export function buildComparison(input: BuildInput): ComparisonReport {
  const { rounds, judged, margins, ending, load, withheld } = input;
  const jobsPerBlock = Math.max(1, Math.round(load.jobsPerSecond * load.blockSeconds));
  const cutShort = CUT_SHORT[ending];
  const metrics = metricReports({ rounds, judged, margins, jobsPerBlock, cutShort, withheld });
  const { verdict, reason, exitCode } = verdictOf(metrics, ending === "interrupted");
  return {
    schemaVersion: COMPARISON_SCHEMA_VERSION,
    kind: input.kind,
    verdict,
    verdictReason: verdict === "unknown" ? (withheld ?? reason) : reason,
    exitCode,
    startedAt: new Date(input.startedAtMs).toISOString(),
    finishedAt: new Date(input.finishedAtMs).toISOString(),
    tool: toolVersions(),
    machine: input.machine,
    seed: input.seed,
    load,
    alpha: ALPHA,
    roundsMax: input.roundsMax,
    rounds: rounds.map((round) =>
      round.map((block) => ({ ...block, figures: { ...block.figures } })),
    ),
    discarded: input.discarded,
    base: input.base,
    candidate: input.candidate,
    metrics,
    notes: [...input.notes],
  };
}

export function toolVersions(): SavedBlocks["tool"] {
  return { plumbline: packageVersion(), node: process.versions.node };
}

export function sideOf({ target, worker }: Subject, label: string): ComparisonReport["base"] {
  return { label, worker: worker.id, ...targetHead(target) };
}
