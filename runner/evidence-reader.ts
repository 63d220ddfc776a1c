/** Turns lines of k6's console into evidence records: redacted, checked and bounded. */

import type { EvidenceRecord } from "../contract/run/evidence.ts";
import { EVIDENCE_PREFIX, isEvidence, parseRecord } from "../contract/run/evidence.ts";

/** Ours: hundreds of times what a scenario writes; a runaway one must not eat the memory. */
const RECORDS_MAX = 20_000;

export class EvidenceReader {
  readonly records: EvidenceRecord[] = [];
  /** Lines that claimed to be evidence and could not be kept. */
  dropped = 0;
  readonly #redact: (text: string) => string;
  readonly #onRecord: (record: EvidenceRecord) => void;

  constructor(redact: (text: string) => string, onRecord: (record: EvidenceRecord) => void) {
    this.#redact = redact;
    this.#onRecord = onRecord;
  }

  /** `null` stands for a line that was too long to be kept. */
  readLine(line: string | null): void {
    if (line !== null && !line.startsWith(EVIDENCE_PREFIX)) return;
    const record = line === null ? null : parseRecord(this.#redact(line));
    if (record === null || !isEvidence(record) || this.records.length >= RECORDS_MAX) {
      this.dropped += 1;
      return;
    }
    this.records.push(record);
    this.#onRecord(record);
  }
}
