/** Gathers what runs leave beside findings: figures, notes, spendings, the variant. */

import type { Spent } from "../contract/limits/budget.ts";
import { sumOf } from "../contract/limits/budget.ts";
import type { EvidenceRecord } from "../contract/run/evidence.ts";
import type { RunResult } from "../contract/run/run-result.ts";
import type { RunSeries } from "../contract/run/series.ts";
import type { Variant } from "../contract/states.ts";
import type { Json } from "../contract/verdict.ts";
import type { CalledOff } from "./call-off.ts";
import { silenceNotes } from "./silence-notes.ts";

export function measurementsOf(records: readonly EvidenceRecord[]): RunResult["measurements"] {
  const groups: Record<string, Json[]> = {};
  for (const record of records) {
    if (record.type !== "measurement") continue;
    groups[record.group] = [...(groups[record.group] ?? []), record.value];
  }
  return groups;
}

export function seriesOf(records: readonly EvidenceRecord[]): RunSeries {
  const groups: Record<keyof RunSeries, unknown[]> = {
    rate: [],
    webhook: [],
    transitions: [],
    timeout: [],
    load: [],
  };
  for (const record of records)
    if (record.type === "series") groups[record.group].push(record.value);
  return groups as unknown as RunSeries;
}

/** Each note once, in the order in which they first came. */
export function notesOf(
  records: readonly EvidenceRecord[],
  others: readonly string[],
  calledOff: CalledOff | null,
): readonly string[] {
  const texts = records.flatMap((each) => (each.type === "note" ? [each.text] : []));
  const mixed = variantsOf(records).size > 1 ? ["both variants were seen in one run"] : [];
  return [...new Set([...silenceNotes(records, calledOff), ...texts, ...others, ...mixed])];
}

/** The variant first seen; null when no answer told. */
export function variantOf(records: readonly EvidenceRecord[]): Variant | null {
  return [...variantsOf(records)][0] ?? null;
}

function variantsOf(records: readonly EvidenceRecord[]): Set<Variant> {
  return new Set(records.flatMap((each) => (each.type === "variant" ? [each.variant] : [])));
}

/** What the scenarios spent, and what the gate itself had spent before. */
export function spentOf(records: readonly EvidenceRecord[], before: Spent): Spent {
  const own = records.filter((record) => record.type === "spent");
  return own.reduce<Spent>(sumOf, before);
}
