/** Reads a report.json of an earlier run, and says what is wrong with one that can't be read. */

import { readFile } from "node:fs/promises";

import type { Report } from "../report/model.ts";
import { REPORT_SCHEMA_VERSION, reportSchema } from "../report/model.ts";
import { misfits } from "./json-file.ts";
import { UsageError } from "./usage-error.ts";

/** Throws UsageError. */
export async function readReport(file: string): Promise<Report> {
  const value = parsed(file, await text(file));
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== REPORT_SCHEMA_VERSION) {
    const problem = `"${file}": schemaVersion is ${JSON.stringify(version) ?? "missing"}`;
    throw new UsageError("invalid-report", [`${problem}; expected ${REPORT_SCHEMA_VERSION}`]);
  }
  const report = reportSchema.safeParse(value);
  if (report.success) return report.data;
  const problems = misfits(report.error).map((text) => `"${file}": ${text}`);
  throw new UsageError(
    "invalid-report",
    problems.map((problem) => `${problem}; expected a report.json`),
  );
}

async function text(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    const problem = `cannot read the report "${file}" (${code}); expected a report.json`;
    throw new UsageError("unreadable-file", [problem]);
  }
}

function parsed(file: string, json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new UsageError("invalid-report", [`"${file}" is no JSON; expected a report.json`]);
  }
}
