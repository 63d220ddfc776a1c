/** Faults of promises on single requests and jobs: runs of seconds that keep the machine busy. */

import { testFaultsOf } from "./fault-tests.ts";

/** Ours: one a core, as faults over time are judged beside them. */
const JOBS = 2;

testFaultsOf("auth", JOBS);
testFaultsOf("account", JOBS);
testFaultsOf("workers", JOBS);
testFaultsOf("submit", JOBS);
testFaultsOf("job", JOBS);
testFaultsOf("cancel", JOBS);
