/**
 * Judges by the balance that a job is charged once: it breaks where one that is kept in the costs'
 * own unit fell by twice what a job cost, by twice what others cost later, and rests for as long as
 * prices are held where none that costs runs, while no other of that unit fell by the costs.
 * Anything else is left to load.accounting, which sees more jobs. Spec §3.
 */

import { fallOf } from "../../balance/changes.ts";
import type { BalanceInput } from "../../balance/spans.ts";
import { chargedTwiceIn, pricedIn, restsIn } from "../../balance/spans.ts";
import { judgeFaultsAlone } from "../../judging/decide.ts";
import { rounded } from "../../numbers/figures.ts";
import type { Finding } from "../../verdict.ts";

/**
 * None where the jobs of known cost were not all charged twice.
 * @param heldMs How long a price may be held.
 */
export function judgeChargedOnce(input: BalanceInput, heldMs: number): readonly Finding[] {
  const { waves, quiet } = input;
  const restMs = 1_000 * quiet.reduce((sum, { seconds }) => sum + seconds, 0);
  const path = chargedTwiceIn(input).find((each) => restsIn(input, each));
  if (path === undefined || restMs < heldMs) return [];
  const spans = pricedIn(input);
  const fell = spans.reduce((sum, span) => sum + fallOf(path, span), 0);
  const cost = spans.reduce((sum, span) => sum + span.cost, 0);
  const figures = `${path} fell by ${rounded(fell, 6)} for jobs that cost ${rounded(cost, 6)}`;
  const exchanges = waves.flatMap((wave) => wave.exchanges);
  const what = `${figures}, twice that each time; promised that each is charged once`;
  return judgeFaultsAlone({ promise: "job.run-once", faults: [{ what, exchanges }], of: "jobs" });
}
