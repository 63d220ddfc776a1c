/**
 * The gate of the embedded service, itself gated: this run is held against those in
 * own-baseline.json. It informs, as machines differ and are busy: what fails is a broken promise,
 * or a gate that does not say how it came out. Made anew, on a quiet machine, by ten runs of
 *   npm run plumbline -- gate --only load --report REPORT
 *   npm run plumbline -- baseline accept REPORT/report.json --baseline test/cli/own-baseline.json
 * and by nine more with `record` in place of `accept`, which make this one the tenth.
 */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";

import { baselineEntries } from "../../report/baseline.ts";
import { reportSchema } from "../../report/model.ts";
import { runCli } from "./run-cli.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const BASELINE = join(import.meta.dirname, "own-baseline.json");
const MARGIN = { timeout: 600_000 };

it("keeps the promises of load, and says what became of its figures", MARGIN, async () => {
  await using folder = await temporaryFolder();
  const args = ["gate", "--only", "load", "--baseline", BASELINE, "--report", folder.path];
  const run = await runCli(args);
  const text = await readFile(join(folder.path, "report.json"), "utf8");
  const report = reportSchema.parse(JSON.parse(text));
  expect(report.promises.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect([0, 111]).toContain(run.exitCode);
  const told = baselineEntries(report);
  expect(told).not.toEqual([]);
  for (const { text: line } of told) process.stderr.write(`own baseline: ${line}\n`);
  expect(told.filter(({ fails }) => fails)).toEqual([]);
});
