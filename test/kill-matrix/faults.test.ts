/** Faults of promises on single requests, jobs, times and limits, in the simulation. */

import { testCellsOf } from "./cell-tests.ts";

testCellsOf("auth", "account", "workers", "submit", "job", "timeout", "cancel", "webhook", "rate");
