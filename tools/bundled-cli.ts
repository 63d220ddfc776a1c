/** Names the command line as one bundled file, for tests that start it; else they run the sources. */
export const BUNDLED_CLI_VARIABLE = "PLUMBLINE_BUNDLED_CLI";
