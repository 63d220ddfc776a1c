/** Writes what a run leaves to a file beside its report, as it comes, for its owner's eyes only. */

import { appendFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { redactor } from "../contract/redact.ts";
import type { Secrets } from "../contract/target.ts";
import { ofFile } from "../contract/thrown.ts";
import { EVIDENCE_FILE } from "../report/report-directory.ts";

const OWNER_ONLY = 0o600;

/** Takes whole lines; one call is done before the next begins. Rejects when it cannot write. */
export type EvidenceSink = (lines: string) => Promise<void>;

export function evidenceFile(folder: string, secrets: Secrets): EvidenceSink {
  const redact = redactor(secrets.values());
  const file = path.join(folder, EVIDENCE_FILE);
  let last: Promise<unknown> = Promise.resolve();
  return (lines) => {
    const written = last
      .then(() => mkdir(folder, { recursive: true }))
      .then(() => appendFile(file, redact(lines), { mode: OWNER_ONLY }))
      .catch(ofFile(file));
    last = written.catch(() => {});
    return written;
  };
}
