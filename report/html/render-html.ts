/** The report as one HTML file. */

import type { Report } from "../model.ts";
import { renderPage } from "./page.ts";
import { reportPage } from "./report-page.ts";

export function renderHtml(report: Report): string {
  return renderPage(reportPage(report));
}
