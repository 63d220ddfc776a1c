/** Which jobs of a step are waited for, so that the next one finds the service at rest. */

import { mergeHistograms, quantileOf } from "../../contract/numbers/histogram.ts";
import type { Entry } from "../load/followed/ledger.ts";
import type { Soak } from "../load/soak.ts";

/** Ours: where no job tells how long it lives, one of a lost answer may live as long as that. */
const UNKNOWN_LIFE_MS = 20_000;

/** Jobs of which no end was seen. Submissions that failed are not among them. */
export function openJobs({ ledger }: Soak): number {
  return [...ledger.open.values()].filter(({ standing }) => standing !== "ambiguous").length;
}

/** Whether nothing is on its way any more, and no job is known that has not ended. */
export function isAtRest(soak: Soak): boolean {
  if (soak.inFlight > 0 || openJobs(soak) > 0) return false;
  const lives = mergeHistograms(soak.tally.livesByThird);
  const lifeMs = lives.count === 0 ? null : quantileOf(lives, 0.95);
  const nowMs = soak.context.world.now();
  return [...soak.ledger.open.values()].every((entry) => {
    return nowMs - entry.sentAtMs >= (lifeMs ?? unknownLifeMs(entry));
  });
}

/** There may be a job or not. A service that answers, if only 503, most likely says that not. */
function unknownLifeMs({ submission }: Entry): number {
  return submission !== null && submission.status >= 500 ? 0 : UNKNOWN_LIFE_MS;
}
