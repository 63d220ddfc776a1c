/** timeout.free: a timed-out job costs nothing, by its own words and the balance. Spec §1.4. */

import type { Claim } from "../../judging/claim.ts";
import { judgeBalance } from "./balance.ts";
import type { LimitTrial } from "./trial.ts";
import { limitClaim } from "./trial.ts";

export function freeClaim(trial: LimitTrial): Claim {
  const jobs = [...trial.beyond, ...trial.below].flatMap(({ free }) => free ?? []);
  const { balance: input } = trial;
  const balance = input === null ? null : judgeBalance(input);
  const exchanges = input?.waves.flatMap((wave) => wave.exchanges) ?? [];
  const isSaid = balance !== null && jobs.length > 0;
  return limitClaim(trial, {
    promise: "timeout.free",
    samples: isSaid && balance.high > 0 ? [...jobs, { ...balance, exchanges }] : jobs,
    did: `cost nothing${isSaid ? `; ${balance.what}` : ""}`,
    evidence: { balance: balance?.what ?? "not readable" },
  });
}
