/** However files of the journal are spoilt, it knows what was spent, or that it does not know. */

import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { FILES } from "./kill/damage.ts";
import { leftBehind, NOW, open } from "./open-journal.ts";

const JOBS = 12;

/** One harm to a file: noise, zeros, an end that is missing, bytes too many. */
const harm = fc.record({
  file: fc.constantFrom(...FILES),
  kind: fc.constantFrom("noise", "zeros", "cut", "more"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
});
type Harm = typeof harm extends fc.Arbitrary<infer Of> ? Of : never;

const harmOf = (file: Harm["file"], kind: Harm["kind"], at: number, length = 1): Harm => ({
  file,
  kind,
  at,
  bytes: new Uint8Array(length).fill(0xff),
});
/** Tried before any draw: what a crash, a full disk or a copy that was cut short leaves. */
const EMPTY_JOURNAL = harmOf("probe.db", "cut", 0);
const EMPTY_LOG = harmOf("probe.db-wal", "cut", 0);
const HEADLESS_LOG = harmOf("probe.db-wal", "noise", 0, 32);
const HALF_A_LOG = harmOf("probe.db-wal", "cut", 0.5);
const LONGER_LOG = harmOf("probe.db-wal", "more", 0.999, 600);
const NO_RECORD = harmOf("probe.db-spent", "cut", 0);
const ONE_SLOT = harmOf("probe.db-spent", "cut", 0.5);
const ZEROED_RECORD = harmOf("probe.db-spent", "zeros", 0, 600);
const CORPUS = [
  EMPTY_JOURNAL,
  EMPTY_LOG,
  HEADLESS_LOG,
  HALF_A_LOG,
  LONGER_LOG,
  NO_RECORD,
  ONE_SLOT,
];
const CORPUS_OF_MORE = [
  [EMPTY_LOG, NO_RECORD],
  [HALF_A_LOG, ONE_SLOT],
  [HEADLESS_LOG, ZEROED_RECORD],
  [EMPTY_JOURNAL, EMPTY_LOG],
  [EMPTY_JOURNAL, EMPTY_LOG, NO_RECORD],
];

function harmed(content: Buffer, { kind, at, bytes }: Harm): Buffer {
  const from = Math.floor(at * content.length);
  if (kind === "cut") return content.subarray(0, from);
  const put = kind === "zeros" ? Buffer.alloc(bytes.length) : Buffer.from(bytes);
  const rest = kind === "more" ? from : from + put.length;
  return Buffer.concat([content.subarray(0, from), put, content.subarray(rest)]);
}

function copyWith(whole: string, harms: readonly Harm[]): string {
  const copy = mkdtempSync(path.join(whole, "copy-"));
  for (const file of FILES.filter((one) => existsSync(path.join(whole, one)))) {
    copyFileSync(path.join(whole, file), path.join(copy, file));
  }
  for (const each of harms) {
    const spoilt = path.join(copy, each.file);
    writeFileSync(spoilt, harmed(readFileSync(spoilt), each));
  }
  return copy;
}

it("of a journal one file was spoilt: what was spent is known", async () => {
  const whole = await leftBehind(JOBS);
  const holds = fc.property(harm, (each) => {
    const again = open(copyWith(whole, [each]));
    expect(again.journal.spent("day", NOW).jobs).toBe(JOBS);
    // A record that is cut through both of its slots confirms nothing.
    if (each.file !== "probe.db-spent") expect(again.journal.unknownSpending).toBeNull();
    again.journal.close();
  });
  fc.assert(holds, {
    seed: 20_260_111,
    numRuns: 60 + CORPUS.length,
    examples: CORPUS.map((each) => [each]),
  });
});

it("of a journal two files were spoilt: what was spent is known, or told not to be", async () => {
  const whole = await leftBehind(JOBS);
  const two = fc.uniqueArray(harm, { minLength: 2, maxLength: 3, selector: ({ file }) => file });
  const holds = fc.property(two, (harms) => {
    const again = open(copyWith(whole, harms));
    const isKnown = again.journal.spent("day", NOW).jobs >= JOBS;
    expect(isKnown || again.journal.unknownSpending !== null).toBe(true);
    again.journal.close();
  });
  fc.assert(holds, {
    seed: 20_260_112,
    numRuns: 40 + CORPUS_OF_MORE.length,
    examples: CORPUS_OF_MORE.map((each) => [each]),
  });
});
