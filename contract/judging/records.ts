/** Judges a scenario by the records that it left, and puts the judgement in their form. */

import type { EvidenceRecord } from "../evidence.ts";
import type { RunPlan } from "../run-plan.ts";
import { isPiecewise, judgeRun } from "./judge-run.ts";

/**
 * What the records say of a run, with the judgement of its observations in place of what was judged
 * while it ran. Those of a run that did not come to its end are left as they are where what was
 * observed by then may be half of what a judge needs.
 */
export function judgedAgain(
  records: readonly EvidenceRecord[],
  plan: RunPlan,
): readonly EvidenceRecord[] {
  const isOver = records.some(({ type }) => type === "ended");
  if (!isOver && !records.some(({ scenario }) => isPiecewise(scenario))) return records;
  const own = records.filter((record) => !("judged" in record));
  return [...own, ...judgementOf(own, plan)];
}

/** The judgement of a scenario's observations; none where it has left none. */
export function judgementOf(
  records: readonly EvidenceRecord[],
  plan: RunPlan,
): readonly EvidenceRecord[] {
  const observations = records.filter((record) => record.type === "observation");
  const scenario = observations[0]?.scenario;
  if (scenario === undefined) return [];
  const asked = records.flatMap((each) => (each.type === "registered" ? each.promises : []));
  const judged = judgeRun(observations, { scenario, plan, asked });
  const head = { scenario, judged: true } as const;
  return [
    ...judged.findings.map((finding) => ({ type: "finding", finding, ...head }) as const),
    ...judged.measurements.map((each) => ({ type: "measurement", ...each, ...head }) as const),
    ...judged.series.map((each) => ({ type: "series", ...each, ...head }) as const),
    ...judged.notes.map((text) => ({ type: "note", text, ...head }) as const),
  ];
}
