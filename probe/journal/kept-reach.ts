/**
 * Where requests of the probe's own reached its receiver, kept over restarts: a life in which none
 * came through could not tell a path that is broken from one that is closed to it. As with
 * `KeptPlan`, the table is made with the first row.
 */

import type { DatabaseSync } from "node:sqlite";

const TABLE = `CREATE TABLE IF NOT EXISTS reach
  (id INTEGER PRIMARY KEY CHECK (id = 1), url TEXT) STRICT`;

export function keepReached(database: DatabaseSync, url: string | null): void {
  database.exec(TABLE);
  database.prepare("INSERT OR REPLACE INTO reach VALUES (1, ?)").run(url);
}

/** null where none did, or none is known to. */
export function reachedUrl(database: DatabaseSync): string | null {
  try {
    const url = database.prepare("SELECT url FROM reach").get()?.url;
    return typeof url === "string" ? url : null;
  } catch {
    return null;
  }
}
