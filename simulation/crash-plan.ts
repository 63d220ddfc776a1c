/** When a process of the simulation ends, and what its database then lets it do: nothing more. */

import type { DatabaseSync } from "node:sqlite";

/**
 * Before a commit; after it, when nobody gets to know; in the middle of writing it; in the middle
 * of writing the record of what was spent that follows; after that record.
 */
export const MOMENTS = ["before", "after", "torn", "record-torn", "record-after"] as const;
export type Moment = (typeof MOMENTS)[number];

export class CrashPlan {
  isOver = false;
  /** Resolves at the crash. */
  readonly over: Promise<void>;
  #tell = () => {};
  #commits: number;
  readonly moment: Moment;

  /** `commits`: at the commit of that number, or what follows it. */
  constructor(commits: number, moment: Moment) {
    this.#commits = commits;
    this.moment = moment;
    this.over = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  check(): void {
    if (this.isOver) throw new Error("the process is no more");
  }

  /** `tear` commits as well, and leaves a part of it on the disk. */
  atCommit(commit: () => void, tear: (commit: () => void) => void = (whole) => whole()): void {
    this.#commits -= 1;
    const moment = this.#commits === 0 ? this.moment : null;
    if (moment === "before") this.crash();
    if (moment === "torn") tear(commit);
    else commit();
    if (moment === "torn" || moment === "after") this.crash();
  }

  /** Called when the record was written. */
  afterRecord(tear: () => void): void {
    const isDue = this.#commits <= 0;
    if (isDue && this.moment === "record-torn") tear();
    if (isDue && this.moment.startsWith("record-")) this.crash();
  }

  crash(): void {
    this.end();
    this.check();
  }

  /** Ends it from outside. */
  end(): void {
    this.isOver = true;
    this.#tell();
  }
}

interface Surface {
  crash: CrashPlan;
  isFull: () => boolean;
  tear?: (commit: () => void) => void;
}

/** The database as one process sees it: after its crash it can do nothing any more. */
export function crashing(database: DatabaseSync, { crash, isFull, tear }: Surface): DatabaseSync {
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
      crash.atCommit(() => database.exec(sql), tear);
    },
    close: () => {},
  };
  return handle as unknown as DatabaseSync;
}

function diskFull(): Error {
  return Object.assign(new Error("database or disk is full"), { errcode: 13 });
}
