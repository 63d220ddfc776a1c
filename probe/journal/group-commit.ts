/** Several writes in one transaction, so that many runs share the price of one sync to disk. */

import type { DatabaseSync } from "node:sqlite";

import { JournalError } from "./file.ts";

export interface Write {
  apply: (database: DatabaseSync) => void;
  /** A write that must not be lost is kept and tried again when the disk can be written again. */
  keep: boolean;
}

interface Waiting extends Write {
  resolve: () => void;
  reject: (error: Error) => void;
}

/** Ours: what can't be written waits in memory, a run's few records at a time. */
const KEPT_MAX = 10_000;

export class GroupCommit {
  readonly #database: DatabaseSync;
  readonly #onFailure: (why: string) => void;
  #waiting: Waiting[] = [];
  #kept: Write[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  writable = true;

  constructor(database: DatabaseSync, onFailure: (why: string) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
  }

  /** Resolves once the write is on disk; rejects with JournalError when it can't be. */
  write(write: Write): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...write, resolve, reject });
      this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Commits what waits, at once. */
  flush(): void {
    if (this.#scheduled !== null) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (waiting.length === 0 && this.#kept.length === 0) return;
    try {
      this.#transact([...this.#kept, ...waiting]);
      this.#kept = [];
      this.writable = true;
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      this.#fail(waiting, error instanceof Error ? error.message : String(error));
    }
  }

  #transact(writes: readonly Write[]): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const { apply } of writes) apply(this.#database);
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #fail(waiting: readonly Waiting[], why: string): void {
    this.writable = false;
    this.#kept = [...this.#kept, ...waiting.filter(({ keep }) => keep)].slice(-KEPT_MAX);
    this.#onFailure(why);
    const message = `the journal can't be written: ${why}`;
    for (const { reject } of waiting) reject(new JournalError("journal-unwritable", message));
  }
}
