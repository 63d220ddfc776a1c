/** Judges requests beyond a key's limit, sent while a load was on and after it. Spec §7, §8. */

import { judgeStatus } from "../judges/expected-status.ts";
import { limitedClaim } from "../judges/rate/limited.ts";
import { presentClaim } from "../judges/rate/retry-after-present.ts";
import { validClaim } from "../judges/rate/retry-after-valid.ts";
import type { KeyTrial } from "../judges/rate/trial.ts";
import type { OverloadSeen } from "../judges/steps.ts";
import type { Finding } from "../verdict.ts";
import { decide } from "./decide.ts";

export function judgeOverload(seen: OverloadSeen): readonly Finding[] {
  const trial = trialOf(seen);
  const claims = [limitedClaim([trial]), presentClaim([trial]), validClaim([trial])];
  return [...claims.map(decide), ...(seen.isPoor ? [judgePoor(seen)] : [])];
}

/** A wrong body may be answered for itself, whatever is left of a key: only valid ones count. */
function trialOf({ key, plan, limit, shots, beyond, isPoor }: OverloadSeen): KeyTrial {
  const burst = { restedMs: 0, shots };
  return {
    key,
    plan,
    limit,
    volleys: [burst],
    drain: { volley: burst, press: [] },
    returns: [],
    waitsDeclined: [],
    below: null,
    endpoints: [],
    submissions: isPoor ? beyond : [],
  };
}

function judgePoor({ within, beyond }: OverloadSeen): Finding {
  const answered = [...within, ...beyond].filter(({ status }) => status !== 429);
  const cases = answered.map((attempt) => ({ what: "a job without credits", attempts: [attempt] }));
  return judgeStatus("submit.insufficient-credits", cases, "each was refused for the key's limit");
}
