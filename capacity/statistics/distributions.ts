/** Normal and Student's t distributions; the arithmetic is Cephes', by S. L. Moshier. */

import { createRequire } from "node:module";

/** What is used of cephes 3; the types that it brings are out of reach of its own exports. */
interface Cephes {
  ndtr(z: number): number;
  ndtri(probability: number): number;
  stdtri(degreesOfFreedom: number, probability: number): number;
}

const cephes = createRequire(import.meta.url)("cephes") as Cephes;

/** Probability that a standard normal value lies below `z`. */
export function normalBelow(z: number): number {
  return cephes.ndtr(z);
}

/** The z below which a standard normal value lies with that probability, in (0, 1). */
export function normalQuantile(probability: number): number {
  return cephes.ndtri(probability);
}

/** The t that Student's distribution exceeds with probability `tail`, in (0, 0.5]. */
export function tExceededWith(tail: number, degreesOfFreedom: number): number {
  return -cephes.stdtri(degreesOfFreedom, tail);
}
