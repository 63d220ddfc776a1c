/** Faults of promises on times and quantities: runs that wait more than they work. */

import { testFaultsOf } from "./fault-tests.ts";

/** Ours: as many as leave the processor idle half of the time. */
const JOBS = 12;

// The load comes last: it minds a machine that does other things.
testFaultsOf(["rate", "webhook", "timeout", "load"], JOBS);
