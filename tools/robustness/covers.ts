/** How a test says which cells of docs/robustness.md it proves. */

import type { Cell } from "./faults.ts";

/**
 * Gives back the title, which names a test or a row of a table of tests: `it(covers("follows no
 * redirect", "13 probe"), ...)`. The page is written from these calls as they stand in the files,
 * so that all of them are literals.
 */
export function covers(title: string, ..._cells: readonly [Cell, ...Cell[]]): string {
  return title;
}
