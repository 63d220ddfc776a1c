/** Chance of the service: numbers that nobody can guess, unless its caller brings others. */

import { randomFillSync } from "node:crypto";

/** Uniform in [0, 1), with 32 bits at least. */
export type Random = () => number;

/** Ours: numbers that are fetched at once; each fetch costs as much as a hundred of them. */
const POOL_LENGTH = 1_024;

/** From the machine's entropy: no two services share a job identifier, and none can be guessed. */
export function cryptoRandom(): Random {
  const pool = new Uint32Array(POOL_LENGTH);
  let next = POOL_LENGTH;
  return () => {
    if (next === POOL_LENGTH) {
      randomFillSync(pool);
      next = 0;
    }
    const value = pool[next] ?? 0;
    next += 1;
    return value / 2 ** 32;
  };
}

/** So many groups of 8 hexadecimal digits. */
export function randomHex(random: Random, groups: number): string {
  let text = "";
  for (let n = 0; n < groups; n += 1) {
    text += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0");
  }
  return text;
}
