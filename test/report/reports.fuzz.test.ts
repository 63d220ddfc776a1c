/** Whatever a report of an earlier run holds: it can be shown, or is told to be another file. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { baselineSchema, EMPTY_BASELINE } from "../../capacity/baseline/model.ts";
import { comparisonSchema } from "../../capacity/compare/model.ts";
import { readJsonFile } from "../../cli/files/json-file.ts";
import { readReport } from "../../cli/files/report-file.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { buildReport } from "../../report/build-report.ts";
import { renderHtml } from "../../report/html/render-html.ts";
import { renderJunit } from "../../report/junit.ts";
import { renderSummary } from "../../report/summary.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { mutated } from "../contract/decode/bodies.ts";
import { spoilt } from "../spoilt.ts";
import { BROKEN_WAIT, findingsWith, healthyResult } from "./fixtures.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "plumbline-reports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const FILE = path.join(folder, "report.json");

const RESULT = healthyResult({ findings: findingsWith(BROKEN_WAIT) });
const REPORT = buildReport(RESULT, { strict: false, labels: { commit: "4f1c" } });
const TEXT = JSON.stringify(REPORT);
const STYLE = { color: true, width: 80, live: false, whole: false, verbose: true };

const texts = fc.oneof(
  spoilt(fc.constant(TEXT)),
  mutated(fc.constant(REPORT)).map((value) => JSON.stringify(value) ?? ""),
  fc.json(),
  fc.string({ unit: "binary" }),
);

async function read<Value>(text: string, how: () => Promise<Value>): Promise<Value | null> {
  writeFileSync(FILE, text);
  try {
    return await how();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    for (const problem of error.problems) expect(problem).toMatch(/".*report\.json".*expected/);
    return null;
  }
}

describe("a report of an earlier run", () => {
  it("is shown in each form, or told to be none", async () => {
    let shown = 0;
    const holds = fc.asyncProperty(texts, async (text) => {
      const report = await read(text, () => readReport(FILE));
      if (report === null) return;
      shown += 1;
      const pages = [renderTerminal(report, STYLE), renderJunit(report), renderSummary(report)];
      for (const page of pages) expect(page).not.toBe("");
      expect(renderHtml({ runs: [report] })).toMatch(/<\/html>\s*$/);
    });
    await fc.assert(holds, { seed: 20_260_109, numRuns: 150, examples: [[TEXT]] });
    expect(shown).toBeGreaterThan(10);
  });

  it.each([
    ["a baseline", baselineSchema, JSON.stringify(EMPTY_BASELINE)],
    ["a comparison", comparisonSchema, TEXT],
  ])("that is read as %s is one, or told to be none", async (what, schema, whole) => {
    const some = fc.oneof(spoilt(fc.constant(whole)), fc.json(), texts);
    const holds = fc.asyncProperty(some, async (text) => {
      await read<unknown>(text, () => readJsonFile<unknown>(FILE, schema, what));
    });
    await fc.assert(holds, { seed: 20_260_110, numRuns: 200 });
  });
});
