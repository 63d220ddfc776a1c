/**
 * What was spent, kept a second time beside the journal: with a damaged journal the budget must not
 * begin at nothing again. It is made before the journal, so that one without it has lost it. Two
 * slots hold the same and are written one after the other, after each commit and before its job is
 * submitted: a slot that is torn or spoilt costs nothing. Only the first are synced, so that power
 * loss leaves slots that can be read; the newest it may take, and the journal still has it.
 */

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";
import { z } from "zod";

import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import type { Sums } from "./budget.ts";
import { makePrivateFile } from "./private-files.ts";

/** What was spent, and why that may not be all; null when it is. */
export interface Recorded {
  sums: Sums;
  unknown: string | null;
}

export interface SpentRecord {
  /** As it was found; null where there was none, or none that can be read. */
  readonly found: Recorded | null;
  /** Throws what the file system throws. */
  write(recorded: Recorded): void;
  close(): void;
}

const spent = z.strictObject({ jobs: z.number(), credits: z.number(), usd: z.number() });
const sum = z.strictObject({ startMs: z.number(), spent });
const slotSchema = z.strictObject({
  number: z.number(),
  sums: z.strictObject({ day: sum, month: sum }),
  unknown: z.string().nullable(),
});
type Slot = z.infer<typeof slotSchema>;

/** Bytes of a slot. Ours: a page of a disk is written whole, and the text takes a third of one. */
const SLOT_BYTES = 4_096;
const SLOTS = [0, 1];
/** Ours: a reason is a sentence. */
const REASON_CHARS_MAX = 500;

const NONE = { startMs: 0, spent: NOTHING_SPENT };
/** Of a time that is over: nothing is known to be spent by it. */
const NO_SUMS: Sums = { day: NONE, month: NONE };

/** Opens the record of the journal at that path. Throws what the file system throws. */
export function openSpentRecord(journal: string): SpentRecord {
  const path = pathOf(journal);
  // Left empty until what is not known is in the journal as well: empty, it confirms nothing.
  if (!existsSync(path)) makePrivateFile(path);
  const found = slotsIn(readFileSync(path)).sort((a, b) => b.number - a.number)[0] ?? null;
  const file = openSync(path, "r+");
  let number = found?.number ?? 0;
  let last = "";
  return {
    found,
    write: (recorded) => {
      const text = JSON.stringify(recorded);
      if (text === last) return;
      const isFirst = number === 0;
      number += 1;
      const bytes = bytesOf({ number, ...recorded });
      for (const slot of SLOTS) writeSync(file, bytes, 0, SLOT_BYTES, slot * SLOT_BYTES);
      if (isFirst) fsyncSync(file);
      last = text;
    },
    close: () => closeSync(file),
  };
}

/**
 * Begins the record of a journal that never had one, before that is made or brought up. One that
 * is there is left as it is, but an empty one: a start was killed as it began it.
 */
export function beginRecord(journal: string): void {
  if ((statSync(pathOf(journal), { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const record = openSpentRecord(journal);
  record.write({ sums: NO_SUMS, unknown: null });
  record.close();
}

/**
 * Has a record that can't be read say what is not known, before its damaged journal goes; or once
 * that is gone, with null for the damage.
 */
export function recordLoss(journal: string, damage: string | null): void {
  const record = openSpentRecord(journal);
  if (record.found === null) record.write({ sums: NO_SUMS, unknown: lostText(damage) });
  record.close();
}

/** `damage`: why the journal can't be used; null where it is gone. */
export function lostText(damage: string | null): string {
  // SQLite's check names each page; what is said of the file that was set aside has them all.
  const first = damage?.split("\n")[0];
  const lost = first === undefined ? "the journal is gone" : `the journal can't be used (${first})`;
  return `${lost}, nor could its record of what was spent`;
}

function pathOf(journal: string): string {
  return `${journal}-spent`;
}

function bytesOf({ number, sums, unknown }: Slot): Buffer {
  const reason = unknown?.slice(0, REASON_CHARS_MAX) ?? null;
  const text = JSON.stringify({ number, sums, unknown: reason });
  const bytes = Buffer.alloc(SLOT_BYTES, " ");
  bytes.write(`${checksum(text)} ${text}`);
  return bytes;
}

function slotsIn(file: Buffer): Slot[] {
  return SLOTS.flatMap((at) => {
    const text = file
      .subarray(at * SLOT_BYTES, (at + 1) * SLOT_BYTES)
      .toString()
      .trimEnd();
    const [, sealed, body = ""] = /^(\w+) (.*)$/s.exec(text) ?? [];
    if (sealed !== checksum(body)) return [];
    const read = slotSchema.safeParse(JSON.parse(body));
    return read.success ? [read.data] : [];
  });
}

function checksum(text: string): string {
  return crc32(text).toString(16);
}
