/** Says that `tools/check.ts` checks all types: who builds the package then need not as well. */
export const TYPES_CHECKED_VARIABLE = "PLUMBLINE_TYPES_CHECKED";
