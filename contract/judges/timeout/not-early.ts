/** timeout.not-early: no job is cut off before its limit. Spec §2.3. */

import type { Claim } from "../../judging/claim.ts";
import { standing } from "../../judging/standing.ts";
import type { LimitTrial } from "./trial.ts";
import { limitClaim } from "./trial.ts";

/** Jobs that stay below their limit say something only where they were cut off nevertheless. */
export function notEarlyClaim(trial: LimitTrial): Claim {
  const { limitMs, earlyMs } = trial.bounds;
  const cut = trial.below.flatMap(({ notEarly }) => notEarly ?? []);
  const early = trial.beyond.flatMap(({ notEarly }) => notEarly ?? []);
  return limitClaim(trial, {
    promise: "timeout.not-early",
    unit: "ms",
    tolerated: { low: limitMs - earlyMs, high: Number.POSITIVE_INFINITY },
    samples: [...early, ...cut.filter((sample) => standing(sample).says === "off")],
    did: `ran for ${trial.limit}`,
  });
}
