/** Names the bundled command line, for tests that start it; else they run the sources. */
export const BUNDLED_CLI_VARIABLE = "PLUMBLINE_BUNDLED_CLI";
