/** Faults of promises on single requests and jobs: runs of seconds that keep the machine busy. */

import { testFaultsOf } from "./fault-tests.ts";

/** Ours: two a core; more would only wait for the processor. */
const JOBS = 4;

testFaultsOf("auth", JOBS);
testFaultsOf("account", JOBS);
testFaultsOf("workers", JOBS);
testFaultsOf("submit", JOBS);
testFaultsOf("job", JOBS);
testFaultsOf("cancel", JOBS);
