/** Markdown tables of the generated pages. */

import { markdownTable } from "../../report/text.ts";

export function tableOf(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return markdownTable(
    headings,
    rows.map((cells) => cells.map(inCell)),
  );
}

function inCell(text: string): string {
  return text.replaceAll("|", "\\|");
}
