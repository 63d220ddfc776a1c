/** What each run of the matrix found, a JSON line each, so that an interrupted one can go on. */

import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { PromiseId } from "../../contract/promises.ts";
import { isPromiseId } from "../../contract/promises.ts";
import { VARIANTS } from "../../contract/states.ts";

const recordSchema = z.object({
  fault: z.string(),
  variant: z.enum(VARIANTS),
  seconds: z.number(),
  /** Above 1 where earlier runs left the fault's own promise in doubt, or were wrong. */
  attempt: z.number(),
  error: z.string().nullable(),
  verdicts: z.array(
    z.object({
      promise: z.custom<PromiseId>((id) => typeof id === "string" && isPromiseId(id)),
      verdict: z.enum(["kept", "broken", "inconclusive", "unobserved"]),
      summary: z.string(),
    }),
  ),
});

export type CellRecord = z.infer<typeof recordSchema>;

/** The last record of each cell, by `fault variant`; a line that was cut off is left out. */
export function readJournal(file: string): Map<string, CellRecord> {
  const records = new Map<string, CellRecord>();
  for (const line of linesOf(file)) {
    const record = parsed(line);
    if (record !== null) records.set(`${record.fault} ${record.variant}`, record);
  }
  return records;
}

export function clearJournal(file: string): void {
  rmSync(file, { force: true });
}

export function appendToJournal(file: string, record: CellRecord): void {
  mkdirSync(path.dirname(file), { recursive: true });
  appendFileSync(file, `${JSON.stringify(record)}\n`);
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch {
    return [];
  }
}

function parsed(line: string): CellRecord | null {
  try {
    return recordSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}
