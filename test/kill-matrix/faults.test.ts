/** Faults of promises on single requests, jobs and times, in the simulation. */

import { describe } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { testCellsOf } from "./cell-tests.ts";

const BREAKS_ITS_OWN = covers(
  "each breaks its own promise, and no other",
  "22 gate",
  "23 gate",
  "24 gate",
  "29 gate",
  "30 gate",
);

describe(BREAKS_ITS_OWN, () => {
  testCellsOf("auth", "account", "workers", "submit", "job", "timeout", "cancel");
});
