/** The report directory on a real disk: found unwritable early, written whole. */

import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { buildReport } from "../../report/build-report.ts";
import { prepareFile, prepareReportDirectory, writeReport } from "../../report/report-directory.ts";
import { ReportDirectoryError } from "../../report/report-directory-error.ts";
import { healthyResult } from "./fixtures.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-report-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("the report directory", () => {
  it("is made, with the folders above it", async () => {
    await prepareReportDirectory(join(folder, "a/b"));
    expect(await readdir(join(folder, "a/b"))).toEqual([]);
  });

  it("is tried by many at the same time, none of which is in another's way", async () => {
    await Promise.all(Array.from({ length: 50 }, () => prepareReportDirectory(folder)));
    await Promise.all(Array.from({ length: 50 }, () => prepareFile(join(folder, "blocks.json"))));
    expect(await readdir(folder)).toEqual([]);
  });

  it("is refused below a file, with path and cause", async () => {
    await writeFile(join(folder, "file"), "");
    const attempt = prepareReportDirectory(join(folder, "file/report"));
    await expect(attempt).rejects.toThrow(ReportDirectoryError);
    await expect(attempt).rejects.toThrow(/file\/report" \(ENOTDIR\); expected a writable/);
  });

  it("forgets the report of an earlier run before a new one starts", async () => {
    await writeReport(folder, buildReport(healthyResult()), "");
    await writeFile(join(folder, "evidence.jsonl"), "");
    await writeFile(join(folder, `report.html.${randomUUID()}.tmp`), "");
    for (const own of ["own.txt", "report.html.tmp"]) await writeFile(join(folder, own), "");
    await prepareReportDirectory(folder);
    expect((await readdir(folder)).sort()).toEqual(["own.txt", "report.html.tmp"]);
  });

  it("forgets what k6 left of an earlier run, and nothing else beside it", async () => {
    await mkdir(join(folder, "k6"));
    const left = ["soak.console.log", "soak.log", "soak.summary.json", "notes.log"];
    for (const file of left) await writeFile(join(folder, "k6", file), "");
    await prepareReportDirectory(folder);
    expect(await readdir(join(folder, "k6"))).toEqual(["notes.log"]);
  });

  it("is refused where no folder can be made", async () => {
    await expect(prepareReportDirectory("/proc/plumbline/report")).rejects.toThrow(
      /cannot write the report directory "\/proc\/plumbline\/report" \(/,
    );
  });

  it("holds the four files and no drafts", async () => {
    await writeReport(folder, buildReport(healthyResult()), "");
    expect((await readdir(folder)).sort()).toEqual([
      "junit.xml",
      "report.html",
      "report.json",
      "summary.md",
    ]);
    const json = await readFile(join(folder, "report.json"), "utf8");
    expect((JSON.parse(json) as { schemaVersion: number }).schemaVersion).toBe(1);
  });
});
