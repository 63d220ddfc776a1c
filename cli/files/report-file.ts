/** Reads a report.json of an earlier run, and says what is wrong with one that can't be read. */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Report } from "../../report/model.ts";
import { REPORT_SCHEMA_VERSION, reportSchema } from "../../report/model.ts";
import { UsageError } from "../usage-error.ts";
import { fitting, parsedFile } from "./json-file.ts";

const CODE = "invalid-report";

/** Of a run's folder, its report.json. Throws UsageError. */
export async function readReport(given: string): Promise<Report> {
  const isFolder = (await stat(given).catch(() => null))?.isDirectory() === true;
  const file = isFolder ? join(given, "report.json") : given;
  const named = `the report "${file}"`;
  const value = await parsedFile(file, "a report.json", { code: CODE, named });
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== REPORT_SCHEMA_VERSION) {
    const problem = `"${file}": schemaVersion is ${JSON.stringify(version) ?? "missing"}`;
    throw new UsageError(CODE, [`${problem}; expected ${REPORT_SCHEMA_VERSION}`]);
  }
  return fitting(file, value, reportSchema, "a report.json", CODE);
}
