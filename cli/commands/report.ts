/** `plumbline report FILE`: renders the report of an earlier run again. */

import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { renderJunit } from "../../report/junit.ts";
import { renderSummary } from "../../report/summary.ts";
import { renderTerminal } from "../../report/terminal.ts";
import type { Context } from "../context.ts";
import { OptionReader } from "../options.ts";
import { readReport } from "../report-file.ts";

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
