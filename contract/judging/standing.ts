/** Where a sample lies beside the tolerated range, and whether something explains it. */

import type { Claim, Explanation, Range, Sample } from "./claim.ts";
import { NO_FAULTS } from "./claim.ts";

export interface Standing {
  says: "good" | "open" | "off" | "explained";
  side: "below" | "above" | null;
  /** By so much outside. */
  beyond: number;
  explanations: readonly Explanation[];
  /** By so much at the most those explain. */
  mayBe: number;
}

export interface Weighed extends Standing {
  sample: Sample;
}

/** Of a sample by itself. */
export function standing(sample: Sample, claim: Partial<Claim> = {}): Standing {
  const { low, high } = sample;
  const tolerated = sample.tolerated ?? claim.tolerated ?? NO_FAULTS;
  const side = low > tolerated.high ? "above" : high < tolerated.low ? "below" : null;
  const beyond = Math.max(low - tolerated.high, tolerated.low - high, 0);
  if (side === null) {
    const { likely, mayReach = tolerated } = sample;
    const isLikely = likely === undefined || isWithin({ low: likely, high: likely }, tolerated);
    const says = isLikely && isWithin(sample, mayReach) ? "good" : "open";
    return { says, side, beyond, explanations: [], mayBe: 0 };
  }
  const explanations = [...(claim.explanations ?? []), ...(sample[side] ?? [])];
  const mayBe = mayBeBy(explanations);
  return { says: beyond <= mayBe ? "explained" : "off", side, beyond, explanations, mayBe };
}

export function mayBeBy(explanations: readonly Explanation[]): number {
  return explanations.reduce((sum, { atMost }) => sum + atMost, 0);
}

function isWithin({ low, high }: Range, bounds: Range): boolean {
  return low >= bounds.low && high <= bounds.high;
}

export function saying(weighed: readonly Weighed[], says: Weighed["says"]): readonly Weighed[] {
  return weighed.filter((each) => each.says === says);
}
