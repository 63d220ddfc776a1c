/** What a kept limit rules out: the interval measured beside the one tolerated. Spec §8. */

import type { RateLimit } from "../../plans.ts";
import type { Tolerances } from "../../run-plan.ts";
import type { Strength } from "../../strength.ts";
import { measuredAs } from "../../strength.ts";

interface KeyLimit {
  key: string;
  limit: RateLimit;
}

export function sustainedStrength(
  { key, limit: { sustained } }: KeyLimit,
  { low, high }: { low: number; high: number },
  share: number,
): Strength {
  const tolerated = {
    leastTolerated: sustained * (1 - share),
    mostTolerated: sustained * (1 + share),
  };
  return measuredAs([{ what: `${key}: rate`, unit: "per second", low, high, ...tolerated }]);
}

/** `counts`: requests of each rested volley that were admitted, refilled ones among them. */
export function burstStrength(
  { key, limit: { burst } }: KeyLimit,
  counts: readonly number[],
  { burstMissing }: Tolerances,
): Strength {
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  const tolerated = { leastTolerated: burst - burstMissing, mostTolerated: null };
  const looks = { of: "bursts", count: counts.length };
  return measuredAs([{ what: `${key}: burst`, unit: "requests", low, high, ...tolerated }], looks);
}
