/** Chance that can be repeated from its seed. */

import { seededUniform } from "../../../contract/numbers/random.ts";

export type Random = () => number;

/** Numbers from 0 to below 1. */
export function seededRandom(seed: number): Random {
  return seededUniform(seed);
}

/** With mean 0 and deviation 1 (Box and Muller). */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
