/** timeout.fires: a job that would run longer than its limit ends as timed out. Spec §3.2. */

import type { Claim } from "../../judging/claim.ts";
import type { LimitTrial } from "./trial.ts";
import { limitClaim } from "./trial.ts";

export function firesClaim(trial: LimitTrial): Claim {
  return limitClaim(trial, {
    promise: "timeout.fires",
    samples: trial.beyond.map(({ fires }) => fires),
    did: `ended as timeout at ${trial.limit}`,
    without: trial.without,
  });
}
