/** Statements that are prepared once for each database: the journal's are few, and often used. */

import type { DatabaseSync, StatementSync } from "node:sqlite";

const statements = new WeakMap<DatabaseSync, Map<string, StatementSync>>();

export function prepared(database: DatabaseSync, sql: string): StatementSync {
  let known = statements.get(database);
  if (known === undefined) {
    known = new Map();
    statements.set(database, known);
  }
  const statement = known.get(sql) ?? database.prepare(sql);
  known.set(sql, statement);
  return statement;
}
