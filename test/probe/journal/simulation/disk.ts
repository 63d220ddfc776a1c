/** A disk that outlives the process, can be full, and on which a crash may fall at any write. */

import { DatabaseSync } from "node:sqlite";

import { createTables } from "../../../../probe/journal/file.ts";
import type { CrashPlan } from "../../../../simulation/crash-plan.ts";
import { crashing } from "../../../../simulation/crash-plan.ts";

export class Disk {
  readonly database = new DatabaseSync(":memory:");
  isFull = false;

  constructor() {
    createTables(this.database);
    this.database.exec("PRAGMA foreign_keys = ON");
  }

  forProcess(crash: CrashPlan): DatabaseSync {
    return crashing(this.database, { crash, isFull: () => this.isFull });
  }

  /** What the next process finds: what was not committed is gone. */
  recover(): void {
    if (this.database.isTransaction) this.database.exec("ROLLBACK");
  }
}
