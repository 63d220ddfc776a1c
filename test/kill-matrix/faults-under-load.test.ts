/** Faults of promises on a load, in the simulation: thousands of jobs each. */

import { testCellsOf } from "./cell-tests.ts";

testCellsOf("load");
