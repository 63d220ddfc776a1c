/** However one of the journal's files is spoilt: it opens, and knows what was spent. */

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

it("of a journal one file was spoilt: what was spent is known", { timeout: 120_000 }, async () => {
  const { path: whole } = await folder();
  const { journal } = open(whole);
  for (let n = 0; n < JOBS; n += 1) {
    await journal.intend(intent(`run-${n}`), ONE_JOB);
    await journal.accept(`run-${n}`, `job-${n}`, null);
  }
  const { path: place } = await folder();
  const holds = fc.property(harm, (each) => {
    const copy = mkdtempSync(path.join(place, "copy-"));
    for (const file of FILES.filter((one) => existsSync(path.join(whole, one)))) {
      copyFileSync(path.join(whole, file), path.join(copy, file));
    }
    const spoilt = path.join(copy, each.file);
    writeFileSync(spoilt, harmed(readFileSync(spoilt), each));
    const again = open(copy);
    expect(again.journal.spent("day", NOW).jobs).toBe(JOBS);
    expect(again.journal.unknownSpending).toBeNull();
    again.journal.close();
  });
  fc.assert(holds, { seed: 20_260_111, numRuns: 60 });
});
