/** timeout.not-late: a job is cut off soon after its limit. Spec §2.3. */

import type { Claim } from "../../judging/claim.ts";
import type { LimitTrial } from "./trial.ts";
import { limitClaim } from "./trial.ts";

export function notLateClaim(trial: LimitTrial): Claim {
  const { limitMs, lateMs } = trial.bounds;
  return limitClaim(trial, {
    promise: "timeout.not-late",
    unit: "ms",
    tolerated: { low: 0, high: limitMs + lateMs },
    samples: trial.beyond.flatMap(({ notLate }) => notLate ?? []),
    did: `ended by ${trial.latest}`,
  });
}
