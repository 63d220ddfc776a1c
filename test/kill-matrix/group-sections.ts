/** Tables of a matrix, one for each group of promises that has rows. */

import { groupOf, PROMISE_GROUPS } from "../../contract/promises.ts";
import { markdownTable } from "../../report/text.ts";
import type { Cell } from "./cells.ts";

export function groupSections<Row extends { cell: Cell }>(
  all: readonly Row[],
  headings: readonly string[],
  columns: (row: Row) => readonly string[],
): readonly string[] {
  return PROMISE_GROUPS.flatMap((group) => {
    const rows = all.filter(({ cell }) => groupOf(cell.fault.promise) === group);
    if (rows.length === 0) return [];
    const table = markdownTable(
      headings,
      rows.map((row) => columns(row)),
    );
    return [`## ${group}\n\n${table}\n`];
  });
}
