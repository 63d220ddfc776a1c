/** Normal and Student's t distributions; the arithmetic is Cephes', by S. L. Moshier. */

import { compiled, ndtr, ndtri, stdtri } from "cephes";

await compiled;

/** Probability that a standard normal value lies below `z`. */
export function normalBelow(z: number): number {
  return ndtr(z);
}

/** The z below which a standard normal value lies with that probability, in (0, 1). */
export function normalQuantile(probability: number): number {
  return ndtri(probability);
}

/** The t that Student's distribution exceeds with probability `tail`, in (0, 0.5]. */
export function tExceededWith(tail: number, degreesOfFreedom: number): number {
  return -stdtri(degreesOfFreedom, tail);
}
