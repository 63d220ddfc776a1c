/** Removes history that is too old or too large, and gives its space back. */

import type { DatabaseSync } from "node:sqlite";

import { startOf } from "./budget.ts";

export interface Pruning {
  /** Settled runs before this time go. */
  beforeMs: number;
  /** Beyond this size the oldest go, whatever their age. */
  bytesMax: number;
}

/** Ours: one step holds the probe up for some milliseconds only. */
const RUNS_A_STEP = 500;

/** What may go: settled, and nothing awaited of it. */
const GONE_BY = "phase = 'settled' AND after_until_ms IS NULL";

/** Gives back how many runs went. `bytes` is asked for after each step. */
export function prune(
  database: DatabaseSync,
  { beforeMs, bytesMax }: Pruning,
  bytes: () => number,
): number {
  let removed = removeOld(database, beforeMs);
  if (removed > 0) giveBack(database);
  while (bytes() > bytesMax) {
    const { changes } = database
      .prepare(
        `DELETE FROM runs WHERE run_id IN (
           SELECT run_id FROM runs WHERE ${GONE_BY} ORDER BY settled_at_ms LIMIT ?)`,
      )
      .run(RUNS_A_STEP);
    giveBack(database);
    if (changes === 0) break;
    removed += Number(changes);
  }
  return removed;
}

function removeOld(database: DatabaseSync, beforeMs: number): number {
  const settled = database
    .prepare(`DELETE FROM runs WHERE ${GONE_BY} AND settled_at_ms < ?`)
    .run(beforeMs);
  // Nobody comes back for these: another target's, or of a canary that is followed no more.
  const abandoned = database
    .prepare("DELETE FROM runs WHERE phase <> 'settled' AND intended_at_ms < ?")
    .run(beforeMs);
  // The budget of the month needs the charges of its runs.
  const monthMs = Math.min(beforeMs, startOf("month", beforeMs));
  database
    .prepare("DELETE FROM charges WHERE at_ms < ? AND run_id NOT IN (SELECT run_id FROM runs)")
    .run(monthMs);
  return Number(settled.changes) + Number(abandoned.changes);
}

/** The free pages to the file system, and the log into the file. */
function giveBack(database: DatabaseSync): void {
  database.exec("PRAGMA incremental_vacuum");
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}
