/** Harms a dead probe's files, one of them or all, as disks and people do. */

import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "../simulation/chance.ts";

export const FILES = ["probe.db", "probe.db-wal", "probe.db-spent"] as const;
const [DATABASE, LOG, RECORD] = FILES;
const PAGE_BYTES = 4_096;

/** What is harmed at once. Ours: a log and its record often, as either alone is made up for. */
const TOGETHER = {
  [DATABASE]: [DATABASE],
  [LOG]: [LOG],
  [RECORD]: [RECORD],
  both: [LOG, RECORD],
  all: [DATABASE, LOG, RECORD],
} as const;

/** Gives back what was done, for the report. */
export function damage(stateDir: string, chance: Chance): string {
  const names = TOGETHER[chance.pick({ [DATABASE]: 1, [LOG]: 1, [RECORD]: 1, both: 2, all: 1.5 })];
  return names.map((name) => harm(join(stateDir, name), name, chance)).join(", ");
}

/** Whether anything is left by which a probe could know that there was one before it. */
export function leavesTrace(stateDir: string): boolean {
  const size = statSync(join(stateDir, RECORD), { throwIfNoEntry: false })?.size ?? 0;
  return size > 0 || [DATABASE, LOG].some((name) => existsSync(join(stateDir, name)));
}

function harm(path: string, name: string, chance: Chance): string {
  if (!existsSync(path)) return `${name} not there`;
  const bytes = readFileSync(path);
  const kind = chance.pick({ cut: 1, overwritten: 1, wiped: 1, removed: 1 });
  if (kind === "removed") rmSync(path);
  else if (kind === "cut") truncateSync(path, Math.floor(chance.between(0, bytes.length)));
  else writeFileSync(path, overwritten(bytes, kind === "wiped", chance));
  return `${name} ${kind}`;
}

/** A page of it, such as one slot of the record; or all. */
function overwritten(bytes: Buffer, isWhole: boolean, chance: Chance): Buffer {
  const page = Math.floor(chance.between(0, bytes.length / PAGE_BYTES)) * PAGE_BYTES;
  const [from, to] = isWhole ? [0, bytes.length] : [page, page + PAGE_BYTES];
  return Buffer.from(bytes.map((byte, at) => (at < from || at >= to ? byte : (at * 37) % 251)));
}
