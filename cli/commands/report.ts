/** `plumbline report FILE`: renders the report of an earlier run again. */

import { readFile } from "node:fs/promises";

import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { renderJunit } from "../../report/junit.ts";
import type { Report } from "../../report/model.ts";
import { REPORT_SCHEMA_VERSION, reportSchema } from "../../report/model.ts";
import { renderSummary } from "../../report/summary.ts";
import { renderTerminal } from "../../report/terminal.ts";
import type { Context } from "../context.ts";
import { OptionReader } from "../options.ts";
import { pathText } from "../target-file/location.ts";
import { UsageError } from "../usage-error.ts";

const FORMATS = ["terminal", "markdown", "junit", "json"] as const;

export async function reportCommand(
  flags: { file: string; format: string },
  { output }: Context,
): Promise<ExitCode> {
  const options = new OptionReader();
  const format = options.oneOf("--format", flags.format, FORMATS);
  options.finish();
  const report = await readReport(flags.file);
  const renderers: Readonly<Record<(typeof FORMATS)[number], () => string>> = {
    terminal: () => renderTerminal(report, output.results),
    markdown: () => renderSummary(report),
    junit: () => renderJunit(report),
    json: () => `${JSON.stringify(report, null, 2)}\n`,
  };
  output.result(renderers[format ?? "terminal"]());
  return EXIT.ok;
}

async function readReport(file: string): Promise<Report> {
  const value = parsed(file, await text(file));
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== REPORT_SCHEMA_VERSION) {
    const problem = `"${file}": schemaVersion is ${JSON.stringify(version) ?? "missing"}`;
    throw new UsageError("invalid-report", [`${problem}; expected ${REPORT_SCHEMA_VERSION}`]);
  }
  const report = reportSchema.safeParse(value);
  if (report.success) return report.data;
  const problems = report.error.issues.map(({ path, message }) => {
    const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
    return `"${file}": ${pathText(steps)}: ${message}`;
  });
  throw new UsageError("invalid-report", problems);
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
