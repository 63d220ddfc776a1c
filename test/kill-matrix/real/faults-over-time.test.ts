/** Faults of promises on times and quantities: runs that wait more than they work. */

import { testFaultsOf } from "./fault-tests.ts";

// Ours: as many at a time as leave the processor idle half of the time; a load most of all.
testFaultsOf("rate", 6);
testFaultsOf("webhook", 6);
testFaultsOf("timeout", 4);
testFaultsOf("load", 3);
