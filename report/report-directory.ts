/** The directory that a run leaves: checked before any load, written whole or not at all. */

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { renderJunit } from "./junit.ts";
import type { Report } from "./model.ts";
import { renderSummary } from "./summary.ts";

const REPORT_FILES = ["report.json", "junit.xml", "summary.md"] as const;

/** The report cannot be written where it was asked for. */
export class ReportDirectoryError extends Error {
  readonly code = "report-directory-unwritable";
  override readonly name = "ReportDirectoryError";
}

/**
 * Makes the directory and removes the report of an earlier run from it, so that a run that dies
 * leaves no old verdict behind. Throws ReportDirectoryError where it cannot write.
 */
export async function prepareReportDirectory(directory: string): Promise<void> {
  const trial = join(directory, `.plumbline-${process.pid}`);
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(trial, "");
    await rm(trial);
    for (const file of REPORT_FILES) await rm(join(directory, file), { force: true });
  } catch (error) {
    throw new ReportDirectoryError(unwritable(directory, error));
  }
}

function unwritable(directory: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  const what = `cannot write the report directory "${directory}" (${code})`;
  return `${what}; expected a writable directory`;
}

export async function writeReport(directory: string, report: Report): Promise<void> {
  const texts: Readonly<Record<(typeof REPORT_FILES)[number], string>> = {
    "report.json": `${JSON.stringify(report, null, 2)}\n`,
    "junit.xml": renderJunit(report),
    "summary.md": renderSummary(report),
  };
  for (const file of REPORT_FILES) await replaceFile(join(directory, file), texts[file]);
}

/** A reader sees the old file or the new one, never half of it. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(draft, text);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ReportDirectoryError(unwritable(path, error));
  }
}
