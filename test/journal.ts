/** What each run of a series found, a JSON line each, so that an interrupted one can go on. */

import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";

/** In the order in which they were written; a line that was cut off is left out. */
export function readJournal<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): readonly z.infer<Schema>[] {
  return linesOf(file).flatMap((line) => {
    try {
      return [schema.parse(JSON.parse(line))];
    } catch {
      return [];
    }
  });
}

export function clearJournal(file: string): void {
  rmSync(file, { force: true });
}

export function appendToJournal(file: string, record: object): void {
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
