/** Faults of promises on single requests and jobs: runs of seconds that keep the machine busy. */

import { testFaultsOf } from "./fault-tests.ts";

/** Ours: three a core; more would only wait for the processor. */
const JOBS = 6;

testFaultsOf(["auth", "account", "workers", "submit", "job", "cancel"], JOBS);
