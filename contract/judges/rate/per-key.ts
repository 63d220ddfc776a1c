/** rate.per-key: exhausting one key leaves another's allowance whole. Spec §8. */

import type { Claim } from "../../judging/claim.ts";
import type { Breach } from "../../verdict.ts";
import type { KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import type { Burst } from "./trial.ts";
import { shotsWith } from "./trial.ts";

/** A key's burst while others were exhausted, and the same key's burst while they rested. */
export interface IsolationTrial {
  key: string;
  exhausted: readonly string[];
  /** Refused requests of the last of them: proof that it had nothing left. */
  refusedOfOthers: number;
  burst: number;
  besideExhausted: readonly Burst[];
  /** Only taken when a burst beside exhausted keys fell short. */
  alone: readonly Burst[];
}

export function perKeyClaim(trials: readonly IsolationTrial[]): Claim {
  const usable = trials.filter(({ refusedOfOthers }) => refusedOfOthers > 0);
  const without = "needs two active keys with declared plans";
  const tried = usable.length > 0 ? usable : trials;
  return keysClaim({ promise: "rate.per-key", of: "keys", without }, tried.map(seenOf));
}

function seenOf(trial: IsolationTrial): KeySeen {
  const { key, burst, exhausted, alone, besideExhausted, refusedOfOthers } = trial;
  const [beside, whole] = [besideExhausted, alone].map((all) => all.map(admittedOf));
  const isShared = refusedOfOthers > 0 && isLeaking(trial);
  const [least, rested] = [beside, whole].map((admitted) => Math.min(...(admitted ?? [])));
  const what =
    `got ${least} of its ${burst} requests through while ${exhausted.join(", ")} ` +
    `were exhausted, and ${rested} while they rested`;
  const refused = shotsWith(besideExhausted[0]?.shots ?? [], "refused");
  const why = "no other key could be exhausted (see rate.limited), so isolation was not tested";
  // Of those that are exhausted one after the other the last one is told of.
  const explainedBy = exhausted.slice(-1).map((other): Breach => {
    return { promise: "rate.limited", key: other };
  });
  return {
    key,
    faults: isShared ? [{ what, times: 1, exchanges: refused }] : [],
    doubt: refusedOfOthers > 0 ? null : { cause: "host lag", why, explainedBy },
    good: isShared || refusedOfOthers === 0 ? 0 : 1,
    said: "the full limit while other keys were exhausted",
    evidence: { besideExhausted: beside ?? [], alone: whole ?? [] },
  };
}

function admittedOf({ shots }: Burst): number {
  return shotsWith(shots, "admitted").length;
}

/** Short beside exhausted keys each time, and better alone each time: the others are the cause. */
export function isLeaking({ besideExhausted, alone, burst }: IsolationTrial): boolean {
  if (besideExhausted.length === 0 || alone.length === 0) return false;
  const beside = Math.max(...besideExhausted.map(admittedOf));
  return beside < burst && beside < Math.min(...alone.map(admittedOf));
}

/** A key that is refused some of its burst beside exhausted keys: worth a second trial. */
export function isSuspicious(burstSent: Burst, burst: number): boolean {
  return admittedOf(burstSent) < burst && shotsWith(burstSent.shots, "refused").length > 0;
}
