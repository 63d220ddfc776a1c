/**
 * What was spent, kept a second time beside the journal: with a damaged journal the budget must not
 * begin at nothing again. Two slots of one size are written in turn, after each commit and before
 * its job is submitted; a torn write leaves the other one. Only the first two are synced, so that
 * power loss leaves slots that can be read; the newest it may take, and the journal still has it.
 */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { z } from "zod";

import { NOTHING_SPENT } from "../../contract/budget.ts";
import type { Sums } from "./ledger.ts";
import { makePrivateFile } from "./private-files.ts";

/** What was spent, and why that may not be all; null when it is. */
export interface Recorded {
  sums: Sums;
  unknown: string | null;
}

export interface SpentRecord {
  /** As it was found; null where there is none, or none that can be read. */
  readonly found: Recorded | null;
  /** Whether there was a file, readable or not. */
  readonly existed: boolean;
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
const SLOTS = 2;
/** Ours: a reason is a sentence. */
const REASON_CHARS_MAX = 500;

/** Throws what the file system throws when it can't be made or opened. */
export function openSpentRecord(path: string): SpentRecord {
  const existed = existsSync(path);
  if (!existed) makePrivateFile(path);
  const found = slotsIn(readFileSync(path)).sort((a, b) => b.number - a.number)[0] ?? null;
  const file = openSync(path, "r+");
  // At once: a file without a slot that can be read is one that was damaged.
  if (!existed) writeSync(file, bytesOf(FIRST));
  let number = found?.number ?? 0;
  let last = "";
  return {
    found,
    existed,
    write: (recorded) => {
      const text = JSON.stringify(recorded);
      if (text === last) return;
      number += 1;
      writeSync(file, bytesOf({ number, ...recorded }), 0, SLOT_BYTES, (number % 2) * SLOT_BYTES);
      if (number <= SLOTS) fsyncSync(file);
      last = text;
    },
    close: () => closeSync(file),
  };
}

const NONE = { startMs: 0, spent: NOTHING_SPENT };
/** Of a time that is over: nothing is known to be spent by it. */
const FIRST: Slot = { number: 0, sums: { day: NONE, month: NONE }, unknown: null };

function bytesOf({ number, sums, unknown }: Slot): Buffer {
  const reason = unknown?.slice(0, REASON_CHARS_MAX) ?? null;
  const text = JSON.stringify({ number, sums, unknown: reason });
  const bytes = Buffer.alloc(SLOT_BYTES, " ");
  bytes.write(`${checksum(text)} ${text}`);
  return bytes;
}

function slotsIn(file: Buffer): Slot[] {
  return [0, 1].flatMap((at) => {
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
