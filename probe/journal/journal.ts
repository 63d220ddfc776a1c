/** The probe's memory on disk: what it intends, what came of it, and what it cost. */

import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import type { Exchange } from "../../contract/exchange.ts";
import type { Settled } from "../events.ts";
import type { Observation } from "../tracker/observation.ts";
import type { Span, Spent } from "./budget.ts";
import { startOf } from "./budget.ts";
import { openFile } from "./file.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Intent, UnfinishedRun } from "./records.ts";
import { exchangeSchema, intentSchema, observationSchema } from "./records.ts";

export interface JournalOptions {
  stateDir: string;
  baseUrl: string;
  /** Called when something could not be written, or was set aside. */
  onFailure: (what: "write" | "set_aside", why: string) => void;
}

export interface Journal {
  /** False after a failed write, until one succeeds. */
  readonly writable: boolean;
  /** Durable when it resolves; rejects with JournalError, and then nothing may be sent. */
  intend(intent: Intent, estimate: Spent): Promise<void>;
  accept(runId: string, jobId: string, submission: Exchange | null): Promise<void>;
  note(runId: string, seq: number, observation: Observation): Promise<void>;
  /** `charge` is what the run cost in the end. */
  settle(runId: string, settled: Settled, charge: Spent): Promise<void>;
  unfinished(): readonly UnfinishedRun[];
  spent(span: Span, nowMs: number): Spent;
  /** The dearest of the worker's jobs so far: what the next may cost. */
  dearest(workerId: string): Spent;
  /** Jobs that are known to be this probe's. */
  knowsJob(jobId: string): boolean;
  /** Removes the settled runs before that time; gives back how many. */
  prune(beforeMs: number): number;
  bytes(): number;
  /** Writes a line of no meaning; for noticing that the disk is there again. */
  beat(nowMs: number): Promise<void>;
  close(): void;
}

/** Throws JournalError when another probe holds the journal, or there can't be one. */
export function openJournal(options: JournalOptions, nowMs: number): Journal {
  const { database, path, setAside } = openFile(options.stateDir, nowMs);
  if (setAside !== null) {
    options.onFailure(
      "set_aside",
      `the journal was set aside as ${setAside.path}: ${setAside.why}`,
    );
  }
  return new SqliteJournal(database, path, options);
}

class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #baseUrl: string;
  readonly #commits: GroupCommit;

  constructor(database: DatabaseSync, path: string, options: JournalOptions) {
    this.#database = database;
    this.#path = path;
    this.#baseUrl = options.baseUrl;
    this.#commits = new GroupCommit(database, (why) => options.onFailure("write", why));
  }

  get writable(): boolean {
    return this.#commits.writable;
  }

  intend(intent: Intent, estimate: Spent): Promise<void> {
    const { runId, workerId, intendedAtMs } = intent;
    return this.#commits.write({
      keep: false,
      apply: (database) => {
        database
          .prepare(
            `INSERT INTO runs (run_id, phase, base_url, intended_at_ms, intent)
             VALUES (?, 'intended', ?, ?, ?)`,
          )
          .run(runId, this.#baseUrl, intendedAtMs, JSON.stringify(intent));
        database
          .prepare("INSERT INTO charges VALUES (?, ?, ?, ?, ?, ?, 0)")
          .run(runId, intendedAtMs, workerId, estimate.jobs, estimate.credits, estimate.usd);
      },
    });
  }

  accept(runId: string, jobId: string, submission: Exchange | null): Promise<void> {
    return this.#keep(
      `UPDATE runs SET phase = 'accepted', job_id = ?, submission = ?
       WHERE run_id = ? AND phase = 'intended'`,
      jobId,
      submission === null ? null : JSON.stringify(submission),
      runId,
    );
  }

  note(runId: string, seq: number, observation: Observation): Promise<void> {
    const text = JSON.stringify(observation);
    return this.#keep("INSERT OR IGNORE INTO observations VALUES (?, ?, ?)", runId, seq, text);
  }

  settle(runId: string, settled: Settled, charge: Spent): Promise<void> {
    return this.#commits.write({
      keep: true,
      apply: (database) => {
        database
          .prepare(
            `UPDATE runs SET phase = 'settled', settled_at_ms = ?, outcome = ?, settled = ?
             WHERE run_id = ?`,
          )
          .run(settled.settledAtMs, settled.outcome, JSON.stringify(settled), runId);
        database
          .prepare("UPDATE charges SET jobs = ?, credits = ?, usd = ?, final = 1 WHERE run_id = ?")
          .run(charge.jobs, charge.credits, charge.usd, runId);
      },
    });
  }

  unfinished(): readonly UnfinishedRun[] {
    const rows = this.#database
      .prepare(
        `SELECT run_id, job_id, intent, submission FROM runs
         WHERE phase <> 'settled' AND base_url = ? ORDER BY intended_at_ms`,
      )
      .all(this.#baseUrl);
    return rows.map((row) => ({
      intent: intentSchema.parse(JSON.parse(String(row.intent))),
      jobId: row.job_id === null ? null : String(row.job_id),
      submission:
        row.submission === null ? null : exchangeSchema.parse(JSON.parse(String(row.submission))),
      observations: this.#observations(String(row.run_id)),
    }));
  }

  #observations(runId: string): readonly Observation[] {
    return this.#database
      .prepare("SELECT observation FROM observations WHERE run_id = ? ORDER BY seq")
      .all(runId)
      .map((row) => observationSchema.parse(JSON.parse(String(row.observation))));
  }

  spent(span: Span, nowMs: number): Spent {
    const row = this.#database
      .prepare(
        `SELECT total(jobs) AS jobs, total(credits) AS credits, total(usd) AS usd
         FROM charges WHERE at_ms >= ?`,
      )
      .get(startOf(span, nowMs));
    return spentOf(row);
  }

  dearest(workerId: string): Spent {
    const row = this.#database
      .prepare(
        `SELECT max(credits) AS credits, max(usd) AS usd FROM charges
         WHERE worker_id = ? AND final = 1`,
      )
      .get(workerId);
    return { ...spentOf(row), jobs: 1 };
  }

  knowsJob(jobId: string): boolean {
    return this.#database.prepare("SELECT 1 FROM runs WHERE job_id = ?").get(jobId) !== undefined;
  }

  prune(beforeMs: number): number {
    const { changes } = this.#database
      .prepare("DELETE FROM runs WHERE phase = 'settled' AND settled_at_ms < ?")
      .run(beforeMs);
    const monthMs = Math.min(beforeMs, startOf("month", beforeMs));
    this.#database
      .prepare(
        `DELETE FROM charges WHERE at_ms < ? AND final = 1
         AND run_id NOT IN (SELECT run_id FROM runs)`,
      )
      .run(monthMs);
    return Number(changes);
  }

  bytes(): number {
    return ["", "-wal"].reduce((sum, suffix) => {
      return sum + (statSync(this.#path + suffix, { throwIfNoEntry: false })?.size ?? 0);
    }, 0);
  }

  beat(nowMs: number): Promise<void> {
    const apply = (database: DatabaseSync) =>
      void database.prepare("INSERT OR REPLACE INTO heartbeat VALUES (1, ?)").run(nowMs);
    return this.#commits.write({ keep: false, apply });
  }

  close(): void {
    this.#commits.flush();
    this.#database.close();
  }

  #keep(sql: string, ...values: (string | number | null)[]): Promise<void> {
    const apply = (database: DatabaseSync) => void database.prepare(sql).run(...values);
    return this.#commits.write({ keep: true, apply });
  }
}

function spentOf(row: Record<string, unknown> | undefined): Spent {
  return {
    jobs: Number(row?.jobs ?? 0),
    credits: Number(row?.credits ?? 0),
    usd: Number(row?.usd ?? 0),
  };
}
