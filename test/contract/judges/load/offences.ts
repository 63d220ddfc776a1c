/** Offences for the tests of the load judges, and a machine that is idle. */

import type { Offences } from "../../../../contract/judges/load/offences.ts";
import { addOffence, noOffences } from "../../../../contract/judges/load/offences.ts";
import { answer } from "../answers.ts";

export const IDLE = { wholeMs: 2, lastThirdMs: 2, runnablePerCore: 0.5 };
export const BUSY = { wholeMs: 150, lastThirdMs: 150, runnablePerCore: 1.5 };
export const OVERLOADED = { wholeMs: 120, lastThirdMs: 90, runnablePerCore: 8 };

export function offences(count: number, what = "something was wrong"): Offences {
  const all = noOffences();
  for (let n = 0; n < count; n += 1) addOffence(all, { what, exchanges: [answer(500)] });
  return all;
}
