/**
 * Fresh jobs, one at a time, beside those that still stand in a queue: a queue may have any order,
 * but where enough came and went there, those that stand are passed over.
 */

import { TURNS_ENOUGH } from "../../contract/judges/job/never-lost.ts";

/** `one` runs a fresh job, and tells whether it had its turn. True when enough had theirs. */
export async function takeTurns(one: (turn: number) => Promise<boolean>): Promise<boolean> {
  for (let turn = 1; turn <= TURNS_ENOUGH; turn += 1) if (!(await one(turn))) return false;
  return true;
}
