/** Writes what a run leaves to a file beside its report, as it comes, for its owner's eyes only. */

import { appendFile, mkdir, open } from "node:fs/promises";
import path from "node:path";
import { redactor } from "../contract/text/redact.ts";
import type { Secrets } from "../contract/text/secret.ts";
import { codeOf, ofFile } from "../contract/text/thrown.ts";
import { EVIDENCE_FILE } from "../report/report-directory.ts";
import { ReportDirectoryError } from "../report/report-directory-error.ts";

const OWNER_ONLY = 0o600;

/**
 * Takes whole lines; one call is done before the next begins. Rejects when it cannot write, and
 * when the file is another's by now: two runs in one folder would leave evidence of neither.
 */
export type EvidenceSink = (lines: string) => Promise<void>;

export function evidenceFile(folder: string, secrets: Secrets): EvidenceSink {
  const redact = redactor(secrets.values());
  const file = path.join(folder, EVIDENCE_FILE);
  /** How the file begins: the first line tells this run from any other. */
  let head: Buffer | null = null;
  const write = async (lines: string) => {
    const bytes = Buffer.from(redact(lines));
    if (head === null) await mkdir(folder, { recursive: true });
    else if (!head.equals(await headOf(file, head.length))) throw takenFrom(file);
    const flag = head === null ? "ax" : "a";
    await appendFile(file, bytes, { mode: OWNER_ONLY, flag });
    head ??= bytes.subarray(0, HEAD_BYTES);
  };
  let last: Promise<unknown> = Promise.resolve();
  return (lines) => {
    const written = last
      .then(() => write(lines))
      .catch(taken(file))
      .catch(ofFile(file));
    last = written.catch(() => {});
    return written;
  };
}

/** Ours: more than names and times of a run take. */
const HEAD_BYTES = 1_024;

async function headOf(file: string, length: number): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Another run removes what it finds, and makes a file of its own. */
function taken(file: string): (error: unknown) => never {
  return (error) => {
    const code = codeOf(error);
    throw code === "EEXIST" || code === "ENOENT" ? takenFrom(file) : error;
  };
}

function takenFrom(file: string): ReportDirectoryError {
  const what = `"${file}" is no longer this run's`;
  return new ReportDirectoryError(
    `${what}: another run writes to its folder; expected a folder of its own for each run`,
  );
}
