/**
 * Since when canaries of so many jobs a day have been in use, kept over restarts: each life would
 * else begin anew, and allow what the one before it overspent. The table is made with the first
 * row, not by a version of the schema: an earlier version of the probe may go on with the file.
 */

import type { DatabaseSync } from "node:sqlite";
import { z } from "zod";

import type { PlanStart } from "./budget.ts";

const TABLE = `CREATE TABLE IF NOT EXISTS plan
  (id INTEGER PRIMARY KEY CHECK (id = 1), plan TEXT NOT NULL) STRICT`;

const spent = z.strictObject({ jobs: z.number(), credits: z.number(), usd: z.number() });
const planSchema = z.strictObject({
  jobsADay: z.number(),
  atMs: z.number(),
  spent: z.strictObject({ day: spent, month: spent }),
});

export class KeptPlan {
  readonly #database: DatabaseSync;
  #unwritten: string | null = null;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** When they came into use, which is `now` unless the journal knows better. */
  startOf(jobsADay: number, now: PlanStart): PlanStart {
    const kept = this.#read();
    if (kept?.jobsADay === jobsADay && kept.atMs <= now.atMs) {
      this.#unwritten = null;
      return kept;
    }
    this.#unwritten = JSON.stringify({ jobsADay, ...now });
    return now;
  }

  /** For the commit of a run, the first of which is soon enough. */
  forCommit(): { apply: (database: DatabaseSync) => void; committed: () => void } {
    const text = this.#unwritten;
    return {
      apply: (database) => {
        if (text === null) return;
        database.exec(TABLE);
        database.prepare("INSERT OR REPLACE INTO plan VALUES (1, ?)").run(text);
      },
      committed: () => {
        if (this.#unwritten === text) this.#unwritten = null;
      },
    };
  }

  /** null where there is none, or none that can be read: it begins anew then. */
  #read(): z.infer<typeof planSchema> | null {
    try {
      const row = this.#database.prepare("SELECT plan FROM plan").get();
      return planSchema.safeParse(JSON.parse(String(row?.plan ?? null))).data ?? null;
    } catch {
      return null;
    }
  }
}
