/** What `tools/check.ts` tells the processes that it starts, by variables of their environment. */

/** The bundled command line, for tests that start it; without it they run the sources. */
export const BUNDLED_CLI_VARIABLE = "PLUMBLINE_BUNDLED_CLI";

/** All types are being checked: who builds the package then need not as well. */
export const TYPES_CHECKED_VARIABLE = "PLUMBLINE_TYPES_CHECKED";

/** All of the cases are tried of which each commit draws some. */
export const ALL_CASES_VARIABLE = "PLUMBLINE_ALL_CASES";
