/** Plays comparisons of simulated blocks to their end, and counts what they said. */

import { Comparison } from "../../../../capacity/compare/comparison.ts";
import { evenMargins } from "../../../../capacity/compare/metrics.ts";
import { seededUniform } from "../../../../contract/numbers/random.ts";
import type { NoiseModel } from "./noise.ts";
import { simulatedRounds } from "./noise.ts";

export interface Played {
  worse: boolean;
  better: boolean;
  same: boolean;
  blocks: number;
}

/** As many comparisons; each has a seed of its own, from `seed` on. */
export function play(
  model: NoiseModel,
  slowdown: number,
  { count, roundsMax, margin, seed }: PlayOptions,
): Played[] {
  return Array.from({ length: count }, (_, at) => {
    const comparison = new Comparison({ roundsMax, margins: evenMargins(margin), seed: seed + at });
    const chance = seededUniform(7_919 * (seed + at) + 13);
    for (const round of simulatedRounds(model, slowdown, chance)) {
      comparison.add(round);
      if (comparison.isSettled) break;
    }
    const claims = comparison.judged.map(({ claim }) => claim);
    return {
      worse: claims.includes("worse"),
      better: claims.includes("better"),
      same: claims.every((claim) => claim === "same"),
      blocks: 4 * comparison.rounds.length,
    };
  });
}

export interface PlayOptions {
  count: number;
  roundsMax: number;
  /** As a share: 0.05 is 5 %. */
  margin: number;
  seed: number;
}
