/**
 * The one form in which evidence leaves a scenario: JSON records, one a line, each prefixed with
 * EVIDENCE_PREFIX on k6's console. A scenario writes `registered` first and `ended` last, so that
 * a reader can tell "judged nothing" from "died on the way". Source: this project's own format.
 */

import type { Amounts } from "../balance/read.ts";
import type { DetailTold } from "../decode/detail-told.ts";
import type { JobCharges } from "../jobs/earlier-jobs.ts";
import type { PromiseId } from "../promises.ts";
import type { SilencesSeen } from "../requests/silence.ts";
import type { Finding, Json } from "../verdict.ts";
import type { Observation } from "./observation.ts";
import { OBSERVATION_VERSION } from "./observation.ts";
import { packed, unpacked } from "./packed-exchanges.ts";
import type { SeriesEntry } from "./series.ts";
import type { Shard } from "./shards.ts";

export const EVIDENCE_PREFIX = "plumbline-evidence ";

/**
 * Set where a record follows from observations of the same run: whoever reads them judges anew,
 * and takes what was judged before for progress only.
 */
interface Derived {
  judged?: true;
}

/** Set where several shards carry one load: whose record this is. */
interface OfShard {
  shard?: Shard;
}

export type ObservationRecord = {
  type: "observation";
  version: typeof OBSERVATION_VERSION;
  scenario: string;
} & OfShard &
  Observation;

export type EvidenceRecord =
  | ({
      type: "registered";
      scenario: string;
      promises: readonly PromiseId[];
      atMs: number;
    } & OfShard)
  | ObservationRecord
  | ({ type: "finding"; scenario: string; finding: Finding } & Derived)
  | ({ type: "measurement"; scenario: string; group: string; value: Json } & Derived)
  | ({ type: "series"; scenario: string } & SeriesEntry & Derived)
  | ({ type: "note"; scenario: string; text: string } & Derived)
  | { type: "progress"; scenario: string; text: string }
  | { type: "spent"; scenario: string; jobs: number; credits: number; usd: number }
  | { type: "variant"; scenario: string; variant: "A" | "B" }
  /** What the account of the scenario's key showed before its first job. */
  | { type: "account"; scenario: string; key: string; amounts: Amounts }
  /** Of each worker's detail that was read. */
  | { type: "detail"; scenario: string; told: DetailTold }
  /** What its jobs have cost so far: the last one of a scenario counts. */
  | ({ type: "charges"; scenario: string } & JobCharges & OfShard)
  /** From here on the scenario only waits: it sends the service no more requests. */
  | { type: "settled"; scenario: string }
  /** At its end: when the service answered none of its requests. */
  | ({ type: "silences"; scenario: string } & SilencesSeen)
  /** At once: nobody was answered since then, and the scenario ends for that. */
  | { type: "unavailable"; scenario: string; sinceMs: number }
  | ({ type: "ended"; scenario: string; atMs: number } & OfShard);

/** The record as a line of k6's console. */
export function formatRecord(record: EvidenceRecord): string {
  return EVIDENCE_PREFIX + recordText(record);
}

/** The record on a line of k6's console; null for any other line. */
export function parseRecord(line: string): EvidenceRecord | null {
  return line.startsWith(EVIDENCE_PREFIX) ? readRecord(line.slice(EVIDENCE_PREFIX.length)) : null;
}

export function recordText(record: EvidenceRecord): string {
  return JSON.stringify(record.type === "observation" ? packed(record) : record);
}

/** Null where the text is no record, or an observation of another version than this reader's. */
export function readRecord(text: string): EvidenceRecord | null {
  try {
    const record = JSON.parse(text) as EvidenceRecord | null;
    if (typeof record !== "object" || record === null) return null;
    if (record.type !== "observation") return record;
    return record.version === OBSERVATION_VERSION ? unpacked(record) : null;
  } catch {
    return null;
  }
}

const RECORD_TYPES: Readonly<Record<EvidenceRecord["type"], true>> = {
  registered: true,
  observation: true,
  finding: true,
  measurement: true,
  series: true,
  note: true,
  progress: true,
  spent: true,
  variant: true,
  account: true,
  detail: true,
  charges: true,
  settled: true,
  silences: true,
  unavailable: true,
  ended: true,
};

/** A scenario may be of another version than its reader: unknown types are not evidence. */
export function isEvidence(record: { type: string }): record is EvidenceRecord {
  return Object.hasOwn(RECORD_TYPES, record.type);
}
