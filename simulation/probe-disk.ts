/**
 * The disk of a probe that crashes: real files, opened and recovered by the probe's own code, of
 * which a crash leaves what a disk would. Each life has a folder of its own, as the process before
 * it still holds its files.
 */

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openFile } from "../probe/journal/file.ts";
import type { JournalFiles, JournalOptions } from "../probe/journal/journal.ts";
import { openJournal } from "../probe/journal/journal.ts";
import type { SpentRecord } from "../probe/journal/spent-record.ts";
import { openSpentRecord } from "../probe/journal/spent-record.ts";
import type { Draw } from "./chance.ts";
import { between } from "./chance.ts";
import type { CrashPlan } from "./crash-plan.ts";
import { crashing } from "./crash-plan.ts";
import type { ProbeStorage } from "./probe-process.ts";

const DATABASE = "probe.db";
const LOG = "probe.db-wal";
const RECORD = "probe.db-spent";
/** A disk writes a page whole or not at all; a slot of the record is one. */
const PAGE_BYTES = 4_096;
/** Ours: how many of the record's last writes a loss of power may take. */
const UNSYNCED_MAX = 4;

export class ProbeDisk {
  isFull = false;
  readonly #folder: string;
  readonly #draw: Draw;
  #lives = 0;
  #database: DatabaseSync | null = null;
  /** What a torn commit has left of the files. */
  #torn = new Map<string, Buffer>();
  /** The record as it was written, newest last. */
  #records: Buffer[] = [];

  constructor(folder: string, draw: Draw) {
    this.#folder = folder;
    this.#draw = draw;
    mkdirSync(this.stateDir, { mode: 0o700 });
  }

  get stateDir(): string {
    return join(this.#folder, `life-${this.#lives}`);
  }

  /** The disk as one process sees it. */
  forProcess(crash: CrashPlan): ProbeStorage {
    const files: JournalFiles = {
      openFile: (stateDir, nowMs) => {
        const opened = openFile(stateDir, nowMs);
        // What a crash leaves is this model's matter, and a sync of each commit takes milliseconds.
        opened.database.exec("PRAGMA synchronous = OFF");
        this.#database = opened.database;
        const tear = (commit: () => void) => this.#tear(commit);
        const isFull = () => this.isFull;
        return { ...opened, database: crashing(opened.database, { crash, isFull, tear }) };
      },
      openSpentRecord: (journal) => this.#record(openSpentRecord(journal), crash),
    };
    const { stateDir } = this;
    return {
      openJournal: (options: JournalOptions) => openJournal({ ...options, stateDir }, files),
      database: () => this.#opened(),
      leave: () => this.#database?.close(),
    };
  }

  /** What the next process finds. A loss of power takes what was not synced of the record. */
  recover(isPowerLoss: boolean): void {
    const before = this.stateDir;
    this.#lives += 1;
    mkdirSync(this.stateDir, { mode: 0o700 });
    for (const name of [DATABASE, LOG, RECORD]) {
      const torn = this.#torn.get(name);
      const [from, to] = [join(before, name), join(this.stateDir, name)];
      if (torn !== undefined) writeFileSync(to, torn, { mode: 0o600 });
      else if (existsSync(from)) copyFileSync(from, to);
    }
    if (isPowerLoss) this.#loseUnsynced(join(this.stateDir, RECORD));
    if (this.#database?.isOpen) this.#database.close();
    this.#torn = new Map();
    this.#records = [];
  }

  #opened(): DatabaseSync {
    if (this.#database === null) throw new Error("no journal was opened");
    return this.#database;
  }

  /** The log has a part of the commit; a checkpoint comes after a commit that is whole. */
  #tear(commit: () => void): void {
    const read = (name: string) => {
      const path = join(this.stateDir, name);
      return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
    };
    const [database, before] = [read(DATABASE), read(LOG)];
    commit();
    this.#torn = new Map([
      [DATABASE, database],
      [LOG, this.#partly(before, read(LOG))],
    ]);
  }

  /** Written from the front, up to some byte of what is new. */
  #partly(before: Buffer, after: Buffer): Buffer {
    const isNew = (at: number) => before[at] !== after[at];
    let first = 0;
    while (first < after.length && !isNew(first)) first += 1;
    let last = after.length;
    while (last > first && !isNew(last - 1)) last -= 1;
    const end = Math.floor(between(this.#draw, first, last));
    return Buffer.concat([after.subarray(0, end), before.subarray(end)]);
  }

  #record(record: SpentRecord, crash: CrashPlan): SpentRecord {
    const path = join(this.stateDir, RECORD);
    this.#records = [readFileSync(path)];
    return {
      ...record,
      write: (recorded) => {
        crash.check();
        if (this.isFull) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        const before = this.#records.at(-1) ?? Buffer.alloc(0);
        record.write(recorded);
        const after = readFileSync(path);
        if (after.equals(before)) return;
        this.#records = [...this.#records, after].slice(-UNSYNCED_MAX);
        crash.afterRecord(() => writeFileSync(path, this.#partly(before, after)));
      },
    };
  }

  /** Each of its pages is as it was after one of the last writes. */
  #loseUnsynced(path: string): void {
    const versions = this.#records.filter(({ length }) => length === 2 * PAGE_BYTES);
    if (versions.length === 0) return;
    const pages = [0, 1].map((page) => {
      const version = versions[Math.floor(between(this.#draw, 0, versions.length))];
      return version?.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES) ?? Buffer.alloc(0);
    });
    writeFileSync(path, Buffer.concat(pages));
  }
}
