/**
 * The one form in which evidence leaves a scenario: JSON records, one a line, each prefixed with
 * EVIDENCE_PREFIX on k6's console. A scenario writes `registered` first and `ended` last, so that
 * a reader can tell "judged nothing" from "died on the way". Source: this project's own format.
 */

import type { PromiseId } from "./promises.ts";
import type { SeriesEntry } from "./series.ts";
import type { Finding, Json } from "./verdict.ts";

export const EVIDENCE_PREFIX = "plumbline-evidence ";

export type EvidenceRecord =
  | { type: "registered"; scenario: string; promises: readonly PromiseId[]; atMs: number }
  | { type: "finding"; scenario: string; finding: Finding }
  | { type: "measurement"; scenario: string; group: string; value: Json }
  | ({ type: "series"; scenario: string } & SeriesEntry)
  | { type: "note"; scenario: string; text: string }
  | { type: "progress"; scenario: string; text: string }
  | { type: "spent"; scenario: string; jobs: number; credits: number; usd: number }
  | { type: "variant"; scenario: string; variant: "A" | "B" }
  /** From here on the scenario only waits: it sends the service no more requests. */
  | { type: "settled"; scenario: string }
  | { type: "ended"; scenario: string; atMs: number };

export function formatRecord(record: EvidenceRecord): string {
  return EVIDENCE_PREFIX + JSON.stringify(record);
}

/** The record on a line of k6's console; null for any other line. */
export function parseRecord(line: string): EvidenceRecord | null {
  if (!line.startsWith(EVIDENCE_PREFIX)) return null;
  try {
    return JSON.parse(line.slice(EVIDENCE_PREFIX.length)) as EvidenceRecord;
  } catch {
    return null;
  }
}
