/** rate.per-key: exhausting one key leaves another's allowance whole. Spec §8. */

import type { Claim } from "../../judging/claim.ts";
import type { Breach } from "../../verdict.ts";
import type { KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import type { Burst, KeyTrial } from "./trial.ts";
import { plainOf, shotsWith, spanSeconds } from "./trial.ts";

/** A key's burst while others were exhausted, and the same key's burst while they rested. */
export interface IsolationTrial {
  key: string;
  exhausted: readonly string[];
  /** Refused requests of the last of them: proof that it had nothing left. */
  refusedOfOthers: number;
  burst: number;
  /** Requests a second that the key earns; left out in evidence of earlier versions. */
  sustained?: number;
  besideExhausted: readonly Burst[];
  /** Only taken when a burst beside exhausted keys fell short. */
  alone: readonly Burst[];
}

/**
 * `measured`: what was done to each key afterwards. Keys that seem to share an allowance are then
 * loaded in turn, so that each one's bursts are its own.
 */
export function perKeyClaim(
  seen: readonly IsolationTrial[],
  measured: readonly Pick<KeyTrial, "key" | "volleys">[],
): Claim {
  const trials = seen.some(isLeaking) ? seen.map((each) => withOwnBursts(each, measured)) : seen;
  return claimOf(trials);
}

function withOwnBursts(
  trial: IsolationTrial,
  measured: readonly Pick<KeyTrial, "key" | "volleys">[],
): IsolationTrial {
  const own = measured.filter(({ key }) => key === trial.key).flatMap(({ volleys }) => volleys);
  return { ...trial, alone: [...trial.alone, ...(trial.alone.length > 0 ? plainOf(own) : [])] };
}

function claimOf(trials: readonly IsolationTrial[]): Claim {
  const usable = trials.filter(({ refusedOfOthers }) => refusedOfOthers > 0);
  const without = "needs two active keys with declared plans";
  const seen = usable.length > 0 ? usable.map(seenOf) : trials.map(untried);
  return keysClaim({ promise: "rate.per-key", of: "keys", without }, seen);
}

function seenOf(trial: IsolationTrial): KeySeen {
  const { key, burst, exhausted, alone, besideExhausted } = trial;
  const [beside, whole] = [besideExhausted, alone].map((all) => all.map(admittedOf));
  const isShared = isLeaking(trial);
  const mayBeShared = !isShared && isShort(trial, SEEN);
  const [least, rested] = [beside, whole].map((admitted) => Math.min(...(admitted ?? [])));
  const what =
    `got ${least} of its ${burst} requests through with ${exhausted.join(", ")} exhausted, ` +
    `and ${rested} otherwise`;
  const refused = shotsWith(besideExhausted[0]?.shots ?? [], "refused");
  return {
    key,
    faults: isShared ? [{ what, times: 1, exchanges: refused }] : [],
    doubt: mayBeShared ? { cause: "host lag", why: `${what}; ${OTHERWISE}` } : null,
    good: isShared || mayBeShared ? 0 : 1,
    said: "the full limit while other keys were exhausted",
    evidence: { besideExhausted: beside ?? [], alone: whole ?? [] },
  };
}

/** A key beside which none was exhausted. */
function untried(trial: IsolationTrial): KeySeen {
  const why = "no other key could be exhausted (see rate.limited), so isolation was not tested";
  // Of those that are exhausted one after the other the last one is told of.
  const explainedBy = trial.exhausted.slice(-1).map((other): Breach => {
    return { promise: "rate.limited", key: other };
  });
  const doubt = { cause: "host lag", why, explainedBy } as const;
  return { ...seenOf(trial), faults: [], doubt, good: 0 };
}

function admittedOf({ shots }: Burst): number {
  return shotsWith(shots, "admitted").length;
}

/** Short beside exhausted keys each time, and better alone each time: the others are the cause. */
export function isLeaking(trial: IsolationTrial): boolean {
  return isShort(trial, { perSecond: trial.sustained ?? 0, mayHaveFailed: true });
}

/** As it looks at first. */
const SEEN = { perSecond: 0, mayHaveFailed: false };
const OTHERWISE = "requests that failed, or what was earned meanwhile, may make the difference";

/**
 * Short beside exhausted keys, and alone by more than the key earns until its last request got
 * through. What failed in place of being refused may have used up the allowance as well.
 */
function isShort({ besideExhausted, alone, burst }: IsolationTrial, given: typeof SEEN): boolean {
  const { perSecond, mayHaveFailed } = given;
  if (besideExhausted.length === 0 || alone.length === 0) return false;
  const gotOf = ({ shots }: Burst) => shots.length - shotsWith(shots, "refused").length;
  const beside = Math.max(...besideExhausted.map(mayHaveFailed ? gotOf : admittedOf));
  const ofBurst = alone.map(({ shots }) => {
    const admitted = shotsWith(shots, "admitted");
    return admitted.length - perSecond * spanSeconds(admitted);
  });
  return beside < burst && beside < Math.min(...ofBurst);
}

/** A key that is refused some of its burst beside exhausted keys: worth a second trial. */
export function isSuspicious(burstSent: Burst, burst: number): boolean {
  return admittedOf(burstSent) < burst && shotsWith(burstSent.shots, "refused").length > 0;
}
