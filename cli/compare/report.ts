/** The directory of a comparison: a file for programs, two for people. */

import path from "node:path";
import type { ComparisonReport } from "../../capacity/compare/model.ts";
import { renderComparisonMarkdown } from "../../capacity/compare/render.ts";
import { prepareDirectory, replaceFile } from "../../report/report-directory.ts";
import { jsonText } from "../../report/text.ts";

const FILES = ["comparison.json", "comparison.md", "comparison.html"] as const;

/** Makes it and forgets an earlier comparison. Throws ReportDirectoryError. */
export async function prepareComparisonDirectory(directory: string): Promise<void> {
  await prepareDirectory(directory, FILES);
}

export async function writeComparison(directory: string, report: ComparisonReport): Promise<void> {
  const texts: Readonly<Record<(typeof FILES)[number], string>> = {
    "comparison.json": jsonText(report),
    "comparison.md": renderComparisonMarkdown(report),
    "comparison.html": await renderedHtml(report),
  };
  for (const file of FILES) await replaceFile(path.join(directory, file), texts[file]);
}

/** Loaded when it is needed: a plotting library takes longer to load than the rest together. */
async function renderedHtml(report: ComparisonReport): Promise<string> {
  const { renderHtml } = await import("../../report/html/render-html.ts");
  return renderHtml({ comparisons: [report] });
}
