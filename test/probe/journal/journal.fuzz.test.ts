/** However files of the journal are spoilt, it knows what was spent, or that it does not know. */

import { copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { folder, intent, NOW, ONE_JOB, open } from "./open-journal.ts";

const FILES = ["probe.db", "probe.db-wal", "probe.db-spent"];
const JOBS = 12;

/** One harm to a file: noise, zeros, an end that is missing, bytes too many. */
const harm = fc.record({
  file: fc.constantFrom(...FILES),
  kind: fc.constantFrom("noise", "zeros", "cut", "more"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 600 }),
});
type Harm = typeof harm extends fc.Arbitrary<infer Of> ? Of : never;

function harmed(content: Buffer, { kind, at, bytes }: Harm): Buffer {
  const from = Math.floor(at * content.length);
  if (kind === "cut") return content.subarray(0, from);
  const put = kind === "zeros" ? Buffer.alloc(bytes.length) : Buffer.from(bytes);
  const rest = kind === "more" ? from : from + put.length;
  return Buffer.concat([content.subarray(0, from), put, content.subarray(rest)]);
}

/** The folder of a probe that was killed after some jobs. */
async function written(): Promise<string> {
  const { path: whole } = await folder();
  const { journal } = open(whole);
  for (let n = 0; n < JOBS; n += 1) {
    await journal.intend(intent(`run-${n}`), ONE_JOB);
    await journal.accept(`run-${n}`, `job-${n}`, null);
  }
  return whole;
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

it("of a journal one file was spoilt: what was spent is known", { timeout: 120_000 }, async () => {
  const whole = await written();
  const holds = fc.property(harm, (each) => {
    const again = open(copyWith(whole, [each]));
    expect(again.journal.spent("day", NOW).jobs).toBe(JOBS);
    // A record that is cut through both of its slots confirms nothing.
    if (each.file !== "probe.db-spent") expect(again.journal.unknownSpending).toBeNull();
    again.journal.close();
  });
  fc.assert(holds, { seed: 20_260_111, numRuns: 60 });
});

it("of a journal two files were spoilt: what was spent is known, or told to be unknown", {
  timeout: 120_000,
}, async () => {
  const whole = await written();
  const two = fc.uniqueArray(harm, { minLength: 2, maxLength: 3, selector: ({ file }) => file });
  const holds = fc.property(two, (harms) => {
    const again = open(copyWith(whole, harms));
    const isKnown = again.journal.spent("day", NOW).jobs >= JOBS;
    expect(isKnown || again.journal.unknownSpending !== null).toBe(true);
    again.journal.close();
  });
  fc.assert(holds, { seed: 20_260_112, numRuns: 40 });
});
