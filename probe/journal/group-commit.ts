/** Several writes in one transaction, so that many runs share the price of one sync to disk. */

import type { DatabaseSync } from "node:sqlite";

import { messageOf } from "../../contract/text/thrown.ts";
import type { Clock } from "../clock.ts";
import { JournalError } from "./file.ts";
import { prepared } from "./prepared.ts";

export interface Write {
  apply: (database: DatabaseSync) => void;
  /** A write that must not be lost is kept and tried again when the disk can be written again. */
  keep: boolean;
  /** Called once it is on disk. */
  committed?: () => void;
}

interface Waiting extends Write {
  resolve: () => void;
  reject: (error: Error) => void;
}

export interface CommitListeners {
  onFailure: (why: string) => void;
  onRecovered: () => void;
  /** Called after each commit, before those who wait for it go on. */
  onCommitted: () => void;
}

/** Ours: what can't be written waits in memory, a run's few records at a time. */
const KEPT_MAX = 100_000;

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #listeners: CommitListeners;
  #waiting: Waiting[] = [];
  #kept: Write[] = [];
  #callOff: (() => void) | null = null;
  readonly #soon: Clock["soon"];
  writable = true;
  /** Since the disk last took writes: some that were to be kept are lost. */
  #isLosing = false;

  constructor(database: DatabaseSync, soon: Clock["soon"], listeners: CommitListeners) {
    this.#database = database;
    this.#soon = soon;
    this.#listeners = listeners;
  }

  /** Resolves once the write is on disk; rejects with JournalError when it can't be. */
  write(write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...write, resolve, reject });
      this.#callOff ??= this.#soon(() => this.flush());
    });
  }

  /** Commits what waits, at once. */
  flush(): void {
    this.#callOff?.();
    this.#callOff = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0 && this.#kept.length === 0) return;
    const writes = [...this.#kept, ...waiting];
    try {
      const refused = this.#transact(writes);
      this.#kept = [];
      this.#succeed();
      for (const write of writes) if (!refused.has(write)) write.committed?.();
      this.#listeners.onCommitted();
      for (const write of waiting) settle(write, refused.get(write));
    } catch (error) {
      this.#fail(waiting, messageOf(error));
    }
  }

  /** Gives back the writes that are wrong in themselves; throws when none can be written. */
  #transact(writes: readonly Write[]): ReadonlyMap<Write, string> {
    const refused = new Map<Write, string>();
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const write of writes) {
        const why = this.#apply(write);
        if (why !== null) refused.set(write, why);
      }
      this.#database.exec("COMMIT");
      return refused;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  /** A record that breaks a rule must not keep all others from the disk for ever. */
  #apply({ apply }: Write): string | null {
    prepared(this.#database, "SAVEPOINT one").run();
    try {
      apply(this.#database);
      prepared(this.#database, "RELEASE one").run();
      return null;
    } catch (error) {
      if (isOfTheDisk(error) || !this.#database.isTransaction) throw error;
      this.#database.exec("ROLLBACK TO one; RELEASE one");
      return messageOf(error);
    }
  }

  #succeed(): void {
    if (this.writable) return;
    this.writable = true;
    this.#isLosing = false;
    this.#listeners.onRecovered();
  }

  #fail(waiting: readonly Waiting[], why: string): void {
    this.writable = false;
    const kept = [...this.#kept, ...waiting.filter(({ keep }) => keep)];
    this.#kept = kept.slice(0, KEPT_MAX);
    const isNews = kept.length > KEPT_MAX && !this.#isLosing;
    this.#isLosing ||= isNews;
    const lost = `${KEPT_MAX} records wait to be written, and later ones are lost`;
    this.#listeners.onFailure(isNews ? `${why}; ${lost}` : why);
    for (const write of waiting) settle(write, why);
  }
}

function settle({ resolve, reject }: Waiting, why: string | undefined): void {
  if (why === undefined) resolve();
  else reject(new JournalError("journal-unwritable", `the journal can't be written: ${why}`));
}

/** SQLITE_CONSTRAINT and SQLITE_MISMATCH: the record is at fault. Source: sqlite.org/rescode. */
const OF_THE_RECORD = [19, 20];

function isOfTheDisk(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return !OF_THE_RECORD.includes(Number(error.errcode) & 0xff);
}
