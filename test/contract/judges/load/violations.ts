/** Violations for the tests of the load judges, and a machine that is idle. */

import type { Violations } from "../../../../contract/judges/load/violations.ts";
import { addViolation, noViolations } from "../../../../contract/judges/load/violations.ts";
import { answer } from "../answers.ts";

export const IDLE = { wholeMs: 2, lastThirdMs: 2, runnablePerCore: 0.5 };
export const BUSY = { wholeMs: 150, lastThirdMs: 150, runnablePerCore: 1.5 };
export const OVERLOADED = { wholeMs: 120, lastThirdMs: 90, runnablePerCore: 8 };

export function violations(count: number, what = "something was wrong"): Violations {
  const all = noViolations();
  for (let n = 0; n < count; n += 1) addViolation(all, { what, exchanges: [answer(500)] });
  return all;
}
