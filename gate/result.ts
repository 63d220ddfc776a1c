/** From what a run has recorded to its result: while it is fresh, or when it is judged again. */

import type { RunResult } from "../contract/run-result.ts";
import { withSecondAnswers } from "./again.ts";
import { chargedLate } from "./charged-late.ts";
import { measurementsOf, notesOf, seriesOf, spentOf, variantOf } from "./collect.ts";
import { issuedAcross } from "./issued-across.ts";
import { listedAcross } from "./listed-across.ts";
import { mergeEvidence } from "./merge.ts";
import type { Recording } from "./recording.ts";

export function resultOf({ head, runs: all, testimonies, end }: Recording): RunResult {
  const runs = withSecondAnswers(all, head.plan);
  const { profile, seed, startedAtMs, tool, target, only, leftOut, nodePromises, budget } = head;
  const { finishedAtMs, interrupted, notes } = end;
  const records = runs.flatMap((run) => run.records);
  return {
    profile,
    seed,
    startedAtMs,
    finishedAtMs,
    interrupted,
    tool,
    target: { ...target, variant: variantOf(records) },
    findings: mergeEvidence({
      only: only ?? head.judged ?? null,
      leftOut,
      runs,
      testimonies: testimonies.map(({ finding }) => finding),
      besides: [
        ...testimonies.flatMap((testimony) => testimony.besides ?? []),
        ...issuedAcross(all, head.plan.keys),
        ...listedAcross(all, head.plan.keys),
        ...chargedLate(all, head.plan.keys),
      ],
      nodePromises,
      interrupted,
    }),
    only,
    measurements: measurementsOf(records),
    series: seriesOf(records),
    notes: notesOf(records, notes),
    budget: { ...budget, spent: spentOf(records, head.spent) },
  };
}
