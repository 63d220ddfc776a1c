/**
 * For processes that simulate: a gate leaves short-lived objects by the million, and those that
 * outlive a small young generation are copied for nothing.
 */
export const SIMULATING_FLAGS = ["--max-semi-space-size=64"];
