/** From what a run has recorded to its result: while it is fresh, or when it is judged again. */

import type { RunResult } from "../contract/run/run-result.ts";
import { accountsAcross } from "./accounts-across.ts";
import { withSecondAnswers } from "./again.ts";
import { chargedLate } from "./charged-late.ts";
import { measurementsOf, notesOf, seriesOf, spentOf, variantOf } from "./collect.ts";
import { detailsAcross } from "./details-across.ts";
import { issuedAcross } from "./issued-across.ts";
import { listedAcross } from "./listed-across.ts";
import type { MergeInput } from "./merge.ts";
import { mergeEvidence } from "./merge.ts";
import type { Recording } from "./recording.ts";
import { refusedAcross } from "./refused-across.ts";
import { sharedInDoubt } from "./shared-ids.ts";
import { shownBy } from "./shown.ts";
import { shrunkAcross } from "./shrunk-across.ts";

/** What the runs and the witnesses saw, each by itself. */
export function mergeInputOf({ head, runs, testimonies, end }: Recording): MergeInput {
  const { only, judged = null, leftOut, nodePromises } = head;
  return {
    only: only ?? judged,
    leftOut,
    runs,
    testimonies: testimonies.map(({ finding }) => finding),
    besides: testimonies.flatMap((testimony) => testimony.besides ?? []),
    nodePromises,
    interrupted: end.interrupted,
    isCalledOff: end.calledOff !== undefined,
  };
}

export function resultOf(recording: Recording): RunResult {
  const { head, runs: all, end } = recording;
  const runs = withSecondAnswers(all, head.plan);
  const seen = mergeInputOf({ ...recording, runs });
  const shown = all.map(shownBy);
  const besides = [
    ...seen.besides,
    ...accountsAcross(shown, head.plan.keys),
    ...detailsAcross(all),
    ...issuedAcross(shown, head.plan.keys),
    ...listedAcross(shown, head.plan.keys),
    ...refusedAcross(shown, head.plan.keys),
    ...shrunkAcross(all),
    ...chargedLate(all, head.plan.keys),
  ];
  const found = [...runs.flatMap(({ findings }) => findings), ...besides];
  const inDoubt = sharedInDoubt(shown, head.plan.keys, found);
  const { profile, seed, startedAtMs, tool, target, only, budget } = head;
  const { finishedAtMs, interrupted, notes, calledOff = null } = end;
  const records = runs.flatMap((run) => run.records);
  return {
    profile,
    seed,
    startedAtMs,
    finishedAtMs,
    interrupted,
    ...(calledOff === null ? {} : { isUnavailable: true }),
    tool,
    target: { ...target, variant: variantOf(records) },
    findings: mergeEvidence({
      ...seen,
      runs: seen.runs.map((run) => ({ ...run, findings: inDoubt(run.findings) })),
      testimonies: inDoubt(seen.testimonies),
      besides: inDoubt(besides),
    }),
    only,
    measurements: measurementsOf(records),
    series: seriesOf(records),
    notes: notesOf(records, notes, calledOff),
    budget: { ...budget, spent: spentOf(records, head.spent) },
  };
}
