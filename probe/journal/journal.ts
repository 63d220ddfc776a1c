/** The probe's memory on disk: what it intends, what came of it, and what it cost. */

import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import type { Price, Spent } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { messageOf } from "../../contract/text/thrown.ts";
import type { Observation } from "../../contract/timeline/observation.ts";
import type { Clock } from "../clock.ts";
import type { JournalFailure, Settled } from "../events.ts";
import type { PlanStart, Span } from "./budget.ts";
import { startOf } from "./budget.ts";
import { JournalError, openFile } from "./file.ts";
import { GroupCommit } from "./group-commit.ts";
import { KeptPlan } from "./kept-plan.ts";
import { keepReached, reachedUrl } from "./kept-reach.ts";
import { Ledger } from "./ledger.ts";
import { prepared } from "./prepared.ts";
import type { Pruning } from "./pruning.ts";
import { prune } from "./pruning.ts";
import { JournalReader } from "./reading.ts";
import type { Intent, PastRun, UnfinishedRun } from "./records.ts";
import { recoverSpending, setUnknownSpending, unknownSpending } from "./recovery.ts";
import type { SpentRecord } from "./spent-record.ts";
import { openSpentRecord } from "./spent-record.ts";

export interface JournalOptions {
  stateDir: string;
  baseUrl: string;
  clock: Pick<Clock, "nowMs" | "soon">;
  /** What answers said goes through it: a service may say a key aloud. */
  redact: (text: string) => string;
  /** Called when something could not be written, or was set aside. */
  onFailure: (what: JournalFailure, why: string) => void;
  /** Called when it can be written again. */
  onRecovered: () => void;
  /** Called with a sentence for each file of it that other users could read. */
  onTightened: (what: string) => void;
  /** A person says that what is not known to be spent may be left out of the account. */
  acceptUnknownSpending: boolean;
}

/** What a journal needs of them once its file is open. */
export interface OpenedOptions
  extends Pick<JournalOptions, "baseUrl" | "clock" | "redact" | "onFailure" | "onRecovered"> {
  /** null: what was spent is kept in the database alone. */
  record: SpentRecord | null;
}

export interface Journal {
  /** False after a failed write, until one succeeds. */
  readonly writable: boolean;
  /** Durable when it resolves; rejects with JournalError, and then nothing may be sent. */
  intend(intent: Intent, estimate: Spent): Promise<void>;
  /** `estimatedCredits` is what the service said that the job will cost. */
  accept(
    runId: string,
    jobId: string,
    submission: Exchange | null,
    estimatedCredits?: number | null,
  ): Promise<void>;
  note(runId: string, seq: number, observation: Observation): Promise<void>;
  /**
   * `cost` is what the run has cost; null: nobody knows, and its estimate stays charged. Until
   * `afterUntilMs` a restarted probe goes on watching for its webhook or a late end.
   */
  settle(
    runId: string,
    settled: Settled,
    cost: Spent | null,
    afterUntilMs: number | null,
  ): Promise<void>;
  /** The cost of a settled run, which came to be known late. */
  amend(runId: string, cost: Spent): Promise<void>;
  /** Nothing more of the run is awaited. */
  finish(runId: string): Promise<void>;
  unfinished(): readonly UnfinishedRun[];
  /** The last runs with a verdict of each canary, oldest first. */
  history(runsOfEach: number): readonly PastRun[];
  spent(span: Span, nowMs: number): Spent;
  /** Since when canaries of so many jobs a day have been in use, over restarts; or from now on. */
  planStart(jobsADay: number, nowMs: number): PlanStart;
  /** Where requests of the probe's own reached its receiver, over restarts; null: nowhere. */
  reachedUrl(): string | null;
  keepReached(url: string | null): Promise<void>;
  /** Why nobody knows all that was spent; null when it is known. */
  readonly unknownSpending: string | null;
  /** The dearest of the worker's jobs so far: what the next may cost. */
  price(workerId: string): Price;
  /** Jobs of the worker today whose cost nobody has stated yet. */
  unpriced(workerId: string, nowMs: number): number;
  /** Jobs that are known to be this probe's. */
  knowsJob(jobId: string): boolean;
  /** Removes history; gives back how many runs went. */
  prune(pruning: Pruning): number;
  bytes(): number;
  /** Writes a line of no meaning; for noticing that the disk is there again. */
  beat(nowMs: number): Promise<void>;
  close(): void;
}

/** Where journal and record are kept. */
export interface JournalFiles {
  openFile: typeof openFile;
  openSpentRecord: typeof openSpentRecord;
}

const FILES: JournalFiles = { openFile, openSpentRecord };

/** Throws JournalError when another probe holds the journal, or there can't be one. */
export function openJournal(options: JournalOptions, files = FILES): Journal {
  const { stateDir, clock } = options;
  const nowMs = clock.nowMs();
  const { database, path, existed, setAside, tightened } = files.openFile(stateDir, nowMs);
  for (const what of tightened) options.onTightened(what);
  if (setAside !== null) {
    const { path: aside, why, rescued } = setAside;
    options.onFailure("set_aside", `the journal was set aside as ${aside}: ${why}; ${rescued}`);
  }
  const record = recordBeside(database, path, files);
  const { restored, unknown } = recoverSpending(database, { record, existed, nowMs });
  if (restored !== null) options.onFailure("spent", restored);
  if (options.acceptUnknownSpending) setUnknownSpending(database, null);
  else if (unknown !== null) setUnknownSpending(database, unknown);
  return journalOn(database, path, { ...options, record });
}

/** The file is given back where there can be no record beside it. */
function recordBeside(database: DatabaseSync, path: string, files: JournalFiles): SpentRecord {
  try {
    return files.openSpentRecord(path);
  } catch (error) {
    database.close();
    const expected = "expected a file that can be read and written";
    const what = `no record of what was spent beside "${path}" (${messageOf(error)})`;
    throw new JournalError("journal-unusable", `${what}; ${expected}`);
  }
}

/** The journal in a database that has its tables; `path` is where its size is read. */
export function journalOn(database: DatabaseSync, path: string, options: OpenedOptions): Journal {
  const journal = new SqliteJournal(database, path, options);
  for (const { baseUrl, runs } of journal.elsewhere()) {
    const expected = "expected the target that they were submitted to, to end them";
    options.onFailure("elsewhere", `${runs} unfinished runs are of ${baseUrl}; ${expected}`);
  }
  return journal;
}

class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #baseUrl: string;
  readonly #textOf: (value: object) => string;
  readonly #commits: GroupCommit;
  readonly #ledger: Ledger;
  readonly #plan: KeptPlan;
  readonly #reader: JournalReader;
  readonly #record: SpentRecord | null;
  readonly unknownSpending: string | null;

  constructor(database: DatabaseSync, path: string, options: OpenedOptions) {
    const { baseUrl, clock, redact, onFailure, onRecovered, record } = options;
    const keepSpent = () => this.#keepSpent(clock.nowMs(), onFailure);
    this.#database = database;
    this.#path = path;
    this.#baseUrl = baseUrl;
    this.#textOf = (value) => redact(JSON.stringify(value));
    this.#ledger = new Ledger(database);
    this.#plan = new KeptPlan(database);
    this.#commits = new GroupCommit(database, clock.soon, {
      onFailure: (why) => onFailure("write", why),
      onRecovered,
      onCommitted: keepSpent,
    });
    this.#reader = new JournalReader(database, {
      onSpoilt: (why) => onFailure("set_aside", why),
      // A failure has been said, and the write is kept.
      write: (apply) => void this.#commits.write({ keep: true, apply }).catch(() => {}),
    });
    this.#record = record;
    this.unknownSpending = unknownSpending(database);
    keepSpent();
  }

  /** The journal has it already: a record that can't be written stops nothing. */
  #keepSpent(nowMs: number, onFailure: OpenedOptions["onFailure"]): void {
    try {
      const sums = this.#ledger.onDisk(nowMs);
      this.#record?.write({ sums, unknown: this.unknownSpending });
    } catch (error) {
      onFailure("spent", `the record of what was spent can't be written: ${messageOf(error)}`);
    }
  }

  get writable(): boolean {
    return this.#commits.writable;
  }

  async intend(intent: Intent, estimate: Spent): Promise<void> {
    const { runId, canary, workerId, intendedAtMs: atMs } = intent;
    const charge = this.#ledger.reserve({ runId, atMs, workerId, spent: estimate });
    const plan = this.#plan.forCommit();
    const apply = (database: DatabaseSync) => {
      prepared(
        database,
        `INSERT INTO runs (run_id, phase, base_url, canary, intended_at_ms, intent)
           VALUES (?, 'intended', ?, ?, ?, ?)`,
      ).run(runId, this.#baseUrl, canary, atMs, this.#textOf(intent));
      charge.apply(database);
      plan.apply(database);
    };
    const committed = () => {
      charge.committed?.();
      plan.committed();
    };
    try {
      await this.#commits.write({ keep: false, apply, committed });
    } catch (error) {
      charge.withdraw();
      throw error;
    }
  }

  accept(
    runId: string,
    jobId: string,
    submission: Exchange | null,
    estimatedCredits: number | null = null,
  ): Promise<void> {
    const text = submission === null ? null : this.#textOf(submission);
    const charge =
      estimatedCredits === null ? null : this.#ledger.estimate(runId, estimatedCredits);
    const apply = (database: DatabaseSync) => {
      // A job that is found after the verdict has its run's phase left as it is.
      prepared(
        database,
        `UPDATE runs SET job_id = ?, submission = ?,
             phase = CASE phase WHEN 'intended' THEN 'accepted' ELSE phase END
           WHERE run_id = ? AND job_id IS NULL`,
      ).run(jobId, text, runId);
      charge?.apply(database);
    };
    return this.#commits.write({ ...charge, keep: true, apply });
  }

  note(runId: string, seq: number, observation: Observation): Promise<void> {
    const text = this.#textOf(observation);
    return this.#keep("INSERT OR IGNORE INTO observations VALUES (?, ?, ?)", runId, seq, text);
  }

  settle(
    runId: string,
    settled: Settled,
    cost: Spent | null,
    afterUntilMs: number | null,
  ): Promise<void> {
    const charge = this.#ledger.charge(runId, cost);
    const apply = (database: DatabaseSync) => {
      prepared(
        database,
        `UPDATE runs SET phase = 'settled', settled_at_ms = ?, outcome = ?, settled = ?,
             after_until_ms = ? WHERE run_id = ?`,
      ).run(settled.settledAtMs, settled.outcome, this.#textOf(settled), afterUntilMs, runId);
      charge.apply(database);
    };
    return this.#commits.write({ ...charge, keep: true, apply });
  }

  amend(runId: string, cost: Spent): Promise<void> {
    return this.#commits.write({ ...this.#ledger.charge(runId, cost), keep: true });
  }

  finish(runId: string): Promise<void> {
    return this.#keep("UPDATE runs SET after_until_ms = NULL WHERE run_id = ?", runId);
  }

  unfinished(): readonly UnfinishedRun[] {
    return this.#reader.unfinished(this.#baseUrl);
  }

  history(runsOfEach: number): readonly PastRun[] {
    return this.#reader.history(this.#baseUrl, runsOfEach);
  }

  elsewhere(): readonly { baseUrl: string; runs: number }[] {
    return this.#reader.elsewhere(this.#baseUrl);
  }

  spent(span: Span, nowMs: number): Spent {
    return this.#ledger.spent(span, nowMs);
  }

  planStart(jobsADay: number, atMs: number): PlanStart {
    const spent = { day: this.spent("day", atMs), month: this.spent("month", atMs) };
    return this.#plan.startOf(jobsADay, { atMs, spent });
  }

  reachedUrl(): string | null {
    return reachedUrl(this.#database);
  }

  keepReached(url: string | null): Promise<void> {
    return this.#commits.write({ keep: true, apply: (database) => keepReached(database, url) });
  }

  price(workerId: string): Price {
    return this.#ledger.price(workerId);
  }

  unpriced(workerId: string, nowMs: number): number {
    return this.#ledger.unpriced(workerId, startOf("day", nowMs));
  }

  knowsJob(jobId: string): boolean {
    return prepared(this.#database, "SELECT 1 FROM runs WHERE job_id = ?").get(jobId) !== undefined;
  }

  prune(pruning: Pruning): number {
    return prune(this.#database, pruning, () => this.bytes());
  }

  bytes(): number {
    return ["", "-wal"].reduce((sum, suffix) => {
      return sum + (statSync(this.#path + suffix, { throwIfNoEntry: false })?.size ?? 0);
    }, 0);
  }

  beat(nowMs: number): Promise<void> {
    const apply = (database: DatabaseSync) =>
      void prepared(database, "INSERT OR REPLACE INTO heartbeat VALUES (1, ?)").run(nowMs);
    return this.#commits.write({ keep: false, apply });
  }

  close(): void {
    if (!this.#database.isOpen) return;
    this.#commits.flush();
    this.#database.close();
    this.#record?.close();
  }

  #keep(sql: string, ...values: (string | number | null)[]): Promise<void> {
    const apply = (database: DatabaseSync) => void prepared(database, sql).run(...values);
    return this.#commits.write({ keep: true, apply });
  }
}
