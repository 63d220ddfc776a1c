/** What each run of a matrix found, a JSON line each, so that an interrupted one can go on. */

import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { PromiseId } from "../../contract/promises.ts";
import { isPromiseId } from "../../contract/promises.ts";
import { VARIANTS } from "../../contract/states.ts";

const recordSchema = z.object({
  fault: z.string(),
  variant: z.enum(VARIANTS),
  seed: z.number(),
  /** By the clock; of processor time in the simulation. */
  seconds: z.number(),
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

/** In the order in which they were written; a line that was cut off is left out. */
export function readJournal(file: string): readonly CellRecord[] {
  return linesOf(file).flatMap((line) => parsed(line) ?? []);
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
