/** Harms a dead probe's files, one of them or all, as disks and people do. */

import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chance } from "../simulation/chance.ts";

const JOURNAL = ["probe.db", "probe.db-wal"] as const;
const RECORD = "probe.db-spent";
const PAGE_BYTES = 4_096;
/** How often everything is harmed at once, so that nothing knows what was spent. */
const ALL_SHARE = 0.3;

/** Gives back what was done, for the report. */
export function damage(stateDir: string, chance: Chance): string {
  const one = chance.pick({ [JOURNAL[0]]: 1, [JOURNAL[1]]: 1, [RECORD]: 1 });
  const names = chance.happens(ALL_SHARE) ? [...JOURNAL, RECORD] : [one];
  return names.map((name) => harm(join(stateDir, name), name, chance)).join(", ");
}

function harm(path: string, name: string, chance: Chance): string {
  if (!existsSync(path)) return `${name} not there`;
  const bytes = readFileSync(path);
  const kind = chance.pick({ cut: 1, overwritten: 1, removed: name === RECORD ? 0 : 1 });
  if (kind === "removed") rmSync(path);
  // A part of the record is another matter: its slots stand in for each other.
  else if (kind === "cut") truncateSync(path, name === RECORD ? 0 : cutAt(bytes.length, chance));
  else writeFileSync(path, overwritten(bytes, name === RECORD, chance));
  return `${name} ${kind}`;
}

function cutAt(length: number, chance: Chance): number {
  return Math.floor(chance.between(0, length));
}

function overwritten(bytes: Buffer, isWhole: boolean, chance: Chance): Buffer {
  const page = Math.floor(chance.between(0, bytes.length / PAGE_BYTES)) * PAGE_BYTES;
  const [from, to] = isWhole ? [0, bytes.length] : [page, page + PAGE_BYTES];
  return Buffer.from(bytes.map((byte, at) => (at < from || at >= to ? byte : (at * 37) % 251)));
}
