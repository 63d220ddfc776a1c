/** Faults of webhooks and rate limits, in the simulation. */

import { describe } from "vitest";
import { covers } from "../../tools/robustness/covers.ts";
import { testCellsOf } from "./cell-tests.ts";

const BREAKS_ITS_OWN = covers(
  "each breaks its own promise of webhooks or rates, and no other",
  "26 gate",
  "42 gate",
  "43 gate",
);

describe(BREAKS_ITS_OWN, () => {
  testCellsOf("webhook", "rate");
});
