/** The cells of the kill matrix: each fault in each variant in which it can show. */

import type { Variant } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { variantsOf } from "./expectation.ts";

export interface Cell {
  fault: Fault;
  variant: Variant;
}

export const CELLS: readonly Cell[] = FAULTS.flatMap((fault) =>
  variantsOf(fault).map((variant) => ({ fault, variant })),
);

/** As a pattern names it: "job.cost/negative A". */
export function cellName({ fault, variant }: Cell): string {
  return `${fault.name} ${variant}`;
}

/** Those whose name matches a regular expression. */
export function cellsMatching(pattern: string): readonly Cell[] {
  const expression = new RegExp(pattern);
  return CELLS.filter((cell) => expression.test(cellName(cell)));
}
