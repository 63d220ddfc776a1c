/** What was spent, read from a damaged journal: the budget must hold over its loss as well. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const COLUMNS = ["run_id", "at_ms", "worker_id", "jobs", "credits", "usd", "final"] as const;

/** Copies what can be read into the new journal; gives back a sentence on how that went. */
export function rescueCharges(aside: string, database: DatabaseSync): string {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-rescue-"));
  try {
    // A copy: reading the file itself would work its log into it, and it is the evidence.
    const copy = join(folder, "journal.db");
    for (const suffix of ["", "-wal"]) {
      if (existsSync(aside + suffix)) copyFileSync(aside + suffix, copy + suffix);
    }
    return `${copyRows(copy, database)} charges were rescued from it for the budget`;
  } catch {
    return "what it says of spending can't be read";
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A damaged page ends the reading; what came before it counts. */
function copyRows(from: string, database: DatabaseSync): number {
  const source = new DatabaseSync(from, { defensive: false });
  let rows = 0;
  try {
    // Without it a file that is shorter than it says is not read at all. Source: sqlite.org/pragma.
    source.exec("PRAGMA writable_schema = ON");
    const insert = database.prepare(
      `INSERT OR IGNORE INTO charges (${COLUMNS.join()}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    );
    const read = source.prepare(`SELECT ${COLUMNS.join()} FROM charges NOT INDEXED`);
    for (const row of read.iterate()) {
      insert.run(...COLUMNS.map((name) => row[name] ?? 0));
      rows += 1;
    }
  } catch (error) {
    if (rows === 0) throw error;
  } finally {
    source.close();
  }
  return rows;
}
