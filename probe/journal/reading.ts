/** Reads runs back from the journal; a row that can't be understood is put by, and said. */

import type { DatabaseSync } from "node:sqlite";
import type { z } from "zod";

import { messageOf } from "../../contract/text/thrown.ts";
import type { Observation } from "../../contract/timeline/observation.ts";
import { spentOf } from "./ledger.ts";
import { prepared } from "./prepared.ts";
import type { PastRun, UnfinishedRun } from "./records.ts";
import { exchangeSchema, intentSchema, observationSchema, settledSchema } from "./records.ts";

type Row = Record<string, unknown>;

export interface SpoiltListeners {
  onSpoilt: (why: string) => void;
  /** Writes all of it or nothing; later, where the disk can't take it now. */
  write: (apply: (database: DatabaseSync) => void) => void;
}

export class JournalReader {
  readonly #database: DatabaseSync;
  readonly #listeners: SpoiltListeners;
  /** What was put by since the start: its write may wait for the disk. */
  readonly #putBy = new Set<string>();

  constructor(database: DatabaseSync, listeners: SpoiltListeners) {
    this.#database = database;
    this.#listeners = listeners;
  }

  /** Runs without a verdict, and those that are watched after it. */
  unfinished(baseUrl: string): readonly UnfinishedRun[] {
    const rows = prepared(
      this.#database,
      `SELECT run_id, job_id, intent, submission, settled, after_until_ms, known, jobs, credits, usd
         FROM runs LEFT JOIN charges USING (run_id)
         WHERE (phase <> 'settled' OR after_until_ms IS NOT NULL) AND base_url = ?
         ORDER BY intended_at_ms`,
    ).all(baseUrl);
    return rows.flatMap((row) => this.#unfinished(row) ?? []);
  }

  #unfinished(row: Row): UnfinishedRun | null {
    const runId = String(row.run_id);
    const jobId = nullableText(row.job_id);
    const name = jobId === null ? runId : `${runId} (job ${jobId})`;
    const intent = this.#read(name, "intent", row.intent, intentSchema, true);
    if (intent === null) return null;
    return {
      intent,
      jobId,
      submission: this.#read(runId, "submission", row.submission, exchangeSchema),
      observations: this.#observations(runId),
      settled: this.#read(runId, "settled", row.settled, settledSchema),
      stated: row.known === 1 ? spentOf(row) : null,
      afterUntilMs: row.after_until_ms === null ? null : Number(row.after_until_ms),
    };
  }

  #observations(runId: string): readonly Observation[] {
    return prepared(
      this.#database,
      "SELECT observation FROM observations WHERE run_id = ? ORDER BY seq",
    )
      .all(runId)
      .flatMap((row) => {
        return this.#read(runId, "observation", row.observation, observationSchema) ?? [];
      });
  }

  /** The last runs of each canary, oldest first. */
  history(baseUrl: string, runsOfEach: number): readonly PastRun[] {
    const rows = prepared(
      this.#database,
      `SELECT *, CASE WHEN json_valid(submission)
             THEN submission ->> '$.requestBody' END AS request_body FROM (
           SELECT run_id, canary, job_id, intent, submission, settled, settled_at_ms,
             row_number() OVER (PARTITION BY canary ORDER BY settled_at_ms DESC) AS age,
             row_number() OVER (PARTITION BY canary, outcome ORDER BY settled_at_ms DESC) AS rank,
             outcome
           FROM runs WHERE phase = 'settled' AND base_url = ? AND canary IS NOT NULL
         ) LEFT JOIN charges USING (run_id)
         WHERE age <= ? OR (outcome = 'success' AND rank = 1) ORDER BY settled_at_ms`,
    ).all(baseUrl, runsOfEach);
    return rows.flatMap((row) => this.#past(row) ?? []);
  }

  #past(row: Row): PastRun | null {
    const runId = String(row.run_id);
    const intent = this.#read(runId, "intent", row.intent, intentSchema);
    const settled = this.#read(runId, "settled", row.settled, settledSchema);
    if (intent === null || settled === null) return null;
    const { canary, workerId, mark } = intent;
    const stated = row.known === 1 ? spentOf(row) : null;
    const sent = { mark, requestBody: nullableText(row.request_body) };
    const jobId = nullableText(row.job_id);
    return { runId, canary, workerId, jobId, ...sent, settled, stated };
  }

  /** Runs of other targets that no probe follows any more. */
  elsewhere(baseUrl: string): readonly { baseUrl: string; runs: number }[] {
    return prepared(
      this.#database,
      `SELECT base_url, count(*) AS runs FROM runs
         WHERE phase <> 'settled' AND base_url <> ? GROUP BY base_url`,
    )
      .all(baseUrl)
      .map((row) => ({ baseUrl: String(row.base_url), runs: Number(row.runs) }));
  }

  /**
   * null for what is not there, and for what is spoilt: that is kept aside for a person, once.
   * `isGone`: its run goes then, and only with it.
   */
  #read<Value>(
    name: string,
    what: string,
    text: unknown,
    schema: z.ZodType<Value>,
    isGone = false,
  ): Value | null {
    if (text === null) return null;
    try {
      return schema.parse(JSON.parse(String(text)));
    } catch (error) {
      const why = messageOf(error).slice(0, 500);
      const runId = name.split(" ")[0] ?? name;
      const isNew = this.#isNew([runId, what, String(text)]);
      if (isNew) {
        this.#listeners.onSpoilt(`the ${what} of run ${name} can't be read, and is put by: ${why}`);
      }
      if (!isNew && !isGone) return null;
      this.#listeners.write((database) => {
        if (isNew) {
          const insert = "INSERT INTO spoilt (run_id, what, record, why) VALUES (?, ?, ?, ?)";
          prepared(database, insert).run(runId, what, String(text), why);
        }
        if (isGone) prepared(database, "DELETE FROM runs WHERE run_id = ?").run(runId);
      });
      return null;
    }
  }

  /** Whether neither this start nor an earlier one has put it by; the next time it has. */
  #isNew(record: readonly [runId: string, what: string, text: string]): boolean {
    const key = record.join(" ");
    if (this.#putBy.has(key)) return false;
    this.#putBy.add(key);
    const put = "SELECT 1 FROM spoilt WHERE run_id = ? AND what = ? AND record = ?";
    return prepared(this.#database, put).get(...record) === undefined;
  }
}

function nullableText(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
