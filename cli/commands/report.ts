/** `plumbline report FILE...`: renders the reports of earlier runs again. */

import type { ExitCode } from "../../report/exit-codes.ts";
import { EXIT } from "../../report/exit-codes.ts";
import { renderJunit } from "../../report/junit.ts";
import type { Report } from "../../report/model.ts";
import { renderSummary } from "../../report/summary.ts";
import { renderTerminal } from "../../report/terminal.ts";
import { jsonText } from "../../report/text.ts";
import type { Context } from "../context.ts";
import { interfaceText } from "../files/interface-text.ts";
import { readReport } from "../files/report-file.ts";
import { UsageError } from "../usage-error.ts";
import { OptionReader } from "../values/option-reader.ts";

export const REPORT_FORMATS = ["terminal", "markdown", "junit", "html", "json"] as const;
type Format = (typeof REPORT_FORMATS)[number];

export async function reportCommand(
  flags: { files: readonly string[]; format: string },
  { output }: Context,
): Promise<ExitCode> {
  const options = new OptionReader();
  const format = options.oneOf("--format", flags.format, REPORT_FORMATS) ?? "terminal";
  options.finish();
  if (format !== "html" && flags.files.length > 1) {
    const problem = `--format ${format} with ${flags.files.length} reports; expected one report`;
    throw new UsageError("invalid-option", [`${problem}, or --format html`]);
  }
  const reports = await Promise.all(flags.files.map(readReport));
  output.result(format === "html" ? await asHtml(reports) : rendered(reports, format, output));
  return EXIT.ok;
}

function rendered(
  [report]: readonly Report[],
  format: Exclude<Format, "html">,
  output: Context["output"],
): string {
  if (report === undefined) return "";
  const renderers: Readonly<Record<typeof format, () => string>> = {
    terminal: () => renderTerminal(report, output.results),
    markdown: () => renderSummary(report),
    junit: () => renderJunit(report),
    json: () => jsonText(report),
  };
  return renderers[format]();
}

/** Loaded only here: the other formats are there before its plotting library is. */
async function asHtml(runs: readonly Report[]): Promise<string> {
  const { renderHtml } = await import("../../report/html/render-html.ts");
  return renderHtml({ runs, interfaceText: await interfaceText() });
}
