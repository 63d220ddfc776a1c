/** A disk that outlives the process, can be full, and on which a crash may fall at any write. */

import { DatabaseSync } from "node:sqlite";

import { createTables } from "../../../../probe/journal/file.ts";

export class Disk {
  readonly database = new DatabaseSync(":memory:");
  isFull = false;

  constructor() {
    createTables(this.database);
    this.database.exec("PRAGMA foreign_keys = ON");
  }

  /** The database as one process sees it: after its crash it can do nothing any more. */
  forProcess(crash: CrashPlan): DatabaseSync {
    const { database } = this;
    const isFull = () => this.isFull;
    const handle = {
      get isTransaction() {
        return database.isTransaction;
      },
      get isOpen() {
        return true;
      },
      prepare: (sql: string) => {
        crash.check();
        return database.prepare(sql);
      },
      exec: (sql: string) => {
        crash.check();
        if (isFull() && sql.startsWith("BEGIN")) throw diskFull();
        if (sql !== "COMMIT") return database.exec(sql);
        crash.beforeCommit();
        database.exec(sql);
        crash.afterCommit();
      },
      close: () => {},
    };
    return handle as unknown as DatabaseSync;
  }

  /** What the next process finds: what was not committed is gone. */
  recover(): void {
    if (this.database.isTransaction) this.database.exec("ROLLBACK");
  }
}

function diskFull(): Error {
  return Object.assign(new Error("database or disk is full"), { errcode: 13 });
}

/** When one process ends: at a commit, or when it is told so. */
export class CrashPlan {
  isOver = false;
  #commits: number;
  readonly #isAfter: boolean;

  /** `commits`: at the commit of that number; `isAfter`: done, but nobody gets to know. */
  constructor(commits: number, isAfter: boolean) {
    this.#commits = commits;
    this.#isAfter = isAfter;
  }

  check(): void {
    if (this.isOver) throw new Error("the process is no more");
  }

  beforeCommit(): void {
    this.#commits -= 1;
    if (this.#commits === 0 && !this.#isAfter) this.#end();
  }

  afterCommit(): void {
    if (this.#commits === 0 && this.#isAfter) this.#end();
  }

  #end(): void {
    this.isOver = true;
    this.check();
  }
}
