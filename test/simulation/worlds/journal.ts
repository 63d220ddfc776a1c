/** What each simulated run found, a JSON line each, so that an interrupted series can go on. */

import { appendFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { WorldRecord, WorldRun } from "./run.ts";
import { worldRecordSchema } from "./run.ts";

export function nameOf({ world, profile, seed }: WorldRun): string {
  return `${world} ${profile} ${seed}`;
}

/** By name; a line that was cut off is left out. */
export function readJournal(file: string): Map<string, WorldRecord> {
  const records = linesOf(file).flatMap(parsed);
  return new Map(records.map((record) => [nameOf(record), record]));
}

export function clearJournal(file: string): void {
  rmSync(file, { force: true });
}

export function appendToJournal(file: string, record: WorldRecord): void {
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

function parsed(line: string): readonly WorldRecord[] {
  try {
    return [worldRecordSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
