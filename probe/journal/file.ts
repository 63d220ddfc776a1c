/** Opens the journal's file, or sets aside what is none and begins a new one. */

import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { messageOf } from "../../contract/text/thrown.ts";
import { makePrivateFile, makePrivateFolder, tighten } from "./private-files.ts";
import { rescueCharges } from "./rescue.ts";
import {
  APPLICATION_ID,
  MIGRATIONS,
  RECORD_SINCE_VERSION,
  SCHEMA_VERSION,
  TABLES,
} from "./schema.ts";
import { beginRecord, recordLoss } from "./spent-record.ts";

export type JournalErrorCode = "journal-in-use" | "journal-unusable" | "journal-unwritable";

export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly code: JournalErrorCode;

  constructor(code: JournalErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface OpenedFile {
  database: DatabaseSync;
  path: string;
  /** Whether a file or its log was there before, usable or not. */
  existed: boolean;
  /** Where an unusable file was put, why, and what was rescued; null when there was none. */
  setAside: { path: string; why: string; rescued: string } | null;
  /** A sentence for each file that others could read, and what came of it. */
  tightened: readonly string[];
}

const FILE_NAME = "probe.db";
/** Between the name of a file that was set aside and when it was. */
const ASIDE = ".set-aside-";

/** Throws JournalError when another probe holds the file, or the folder can't be written. */
export function openFile(stateDir: string, nowMs: number): OpenedFile {
  const path = join(stateDir, FILE_NAME);
  try {
    makeFolder(resolve(stateDir));
    const tightened = tighten(path);
    const opened = tryOpen(path);
    const existed = opened !== null;
    const plain = { path, existed, tightened, setAside: null };
    if (opened !== null && "database" in opened) return { ...opened, ...plain };
    if (opened === null) {
      // Where a journal was set aside once, this is no first start, whatever became of the rest.
      if (wasSetAside(path)) recordLoss(path, null);
      else beginRecord(path);
      return { database: create(path), ...plain };
    }
    recordLoss(path, opened.why);
    const aside = `${path}${ASIDE}${new Date(nowMs).toISOString().replaceAll(":", "")}`;
    moveAside(path, aside);
    const database = create(path);
    const rescued = rescueCharges(aside, database);
    const setAside = { path: aside, why: opened.why, rescued };
    return { database, path, existed, tightened, setAside };
  } catch (error) {
    if (error instanceof JournalError) throw error;
    const why = messageOf(error);
    const expected = "expected a folder that can be written";
    throw new JournalError("journal-unusable", `no journal in "${stateDir}" (${why}); ${expected}`);
  }
}

function wasSetAside(path: string): boolean {
  return readdirSync(dirname(path)).some((name) => name.startsWith(basename(path) + ASIDE));
}

function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeParents(dirname(path));
  makePrivateFolder(path);
}

/** Not by `recursive`: below what can't hold a folder, such as /proc, Node would try for ever. */
function makeParents(path: string): void {
  if (existsSync(path)) return;
  makeParents(dirname(path));
  mkdirSync(path);
}

/** WAL and full sync: what was committed survives power loss. */
function settings(database: DatabaseSync): void {
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA foreign_keys = ON");
}

function create(path: string): DatabaseSync {
  makePrivateFile(path);
  const database = new DatabaseSync(path);
  // Exclusive: one probe a journal. Space of pruned history can be given back without a rewrite.
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA auto_vacuum = INCREMENTAL");
  settings(database);
  createTables(database);
  intoFile(database);
  return database;
}

/** Tables and version don't stay in the log, where a damage to it would undo them. */
function intoFile(database: DatabaseSync): void {
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Makes an empty database a journal. */
export function createTables(database: DatabaseSync): void {
  database.exec(`BEGIN IMMEDIATE; ${TABLES}
    PRAGMA application_id = ${APPLICATION_ID};
    PRAGMA user_version = ${SCHEMA_VERSION};
    COMMIT;`);
}

/** null where there is nothing of a journal. */
function tryOpen(path: string): { database: DatabaseSync } | { why: string } | null {
  if (!existsSync(path))
    return existsSync(`${path}-wal`) ? { why: "its log alone is there" } : null;
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path);
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Nothing is written before the file is known to be ours.
    const why = foreignness(database);
    if (why === null) {
      settings(database);
      migrate(database, path);
      return { database };
    }
    database.close();
    return { why };
  } catch (error) {
    if (database?.isOpen) database.close();
    if (error instanceof JournalError) throw error;
    const message = messageOf(error);
    if (/locked|busy/i.test(message)) {
      const expected = "expected a state folder of its own for each probe";
      throw new JournalError("journal-in-use", `another probe holds "${path}"; ${expected}`);
    }
    if (isNoDatabase(error)) return { why: message };
    const expected = "expected a file that can be read and written";
    throw new JournalError("journal-unusable", `can't open "${path}" (${message}); ${expected}`);
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with extended codes. Source: sqlite.org/rescode.html. */
const DAMAGES: readonly number[] = [11, 26];
const PRIMARY_CODE = 0xff;

/** Whether the file is no database; a disk or rights that stand in the way say nothing of it. */
function isNoDatabase(error: unknown): boolean {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) : 0;
  return DAMAGES.includes(code & PRIMARY_CODE);
}

function foreignness(database: DatabaseSync): string | null {
  const id = pragma(database, "application_id");
  if (id !== APPLICATION_ID) return `it is another program's (application_id ${id})`;
  const version = Number(pragma(database, "user_version"));
  const known = version === SCHEMA_VERSION || version in MIGRATIONS;
  if (!known) return `its version is ${version}; expected at most ${SCHEMA_VERSION}`;
  const check = pragma(database, "quick_check");
  return check === "ok" ? null : `it is damaged: ${String(check)}`;
}

/** One step a version, each whole or not at all. */
function migrate(database: DatabaseSync, path: string): void {
  const from = Number(pragma(database, "user_version"));
  if (from === SCHEMA_VERSION) return;
  if (from < RECORD_SINCE_VERSION) beginRecordOfOlder(path);
  for (let version = from; version < SCHEMA_VERSION; version += 1) {
    database.exec(`BEGIN IMMEDIATE; ${MIGRATIONS[version]}
      PRAGMA user_version = ${version + 1};
      COMMIT;`);
  }
  intoFile(database);
}

/** A disk that does not take the record says nothing against the journal. */
function beginRecordOfOlder(path: string): void {
  try {
    beginRecord(path);
  } catch (error) {
    throw new JournalError("journal-unusable", `no record beside "${path}": ${messageOf(error)}`);
  }
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

/** The write-ahead log belongs to its file, and must not be applied to the new one. */
function moveAside(path: string, aside: string): void {
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
}
