/** rate.retry-after-present: every 429 carries `Retry-After`. Spec §7. */

import type { Claim } from "../../judging/claim.ts";
import { retryAfterOf } from "../../retry-after.ts";
import type { KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import { refusalsOf } from "./refusals.ts";
import type { KeyTrial } from "./trial.ts";

export function presentClaim(trials: readonly KeyTrial[]): Claim {
  const promise = "rate.retry-after-present";
  return keysClaim({ promise, of: "refusals", without: "no 429 was seen" }, trials.map(seenOf));
}

function seenOf(trial: KeyTrial): KeySeen | null {
  const refused = refusalsOf(trial);
  if (refused.length === 0) return null;
  const without = refused.filter((shot) => retryAfterOf(shot).form === "absent");
  const what = `${without.length} of ${refused.length} responses with 429 have no Retry-After`;
  return {
    key: trial.key,
    faults: without.length === 0 ? [] : [{ what, times: without.length, exchanges: without }],
    doubt: null,
    good: refused.length - without.length,
    said: `all ${refused.length} responses with 429 have one`,
    evidence: { refused: refused.length, without: without.length },
  };
}
