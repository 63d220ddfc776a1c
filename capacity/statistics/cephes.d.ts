/** What is used of cephes 3, whose own types are out of reach of Node's module resolution. */

declare module "cephes" {
  /** Resolves once its functions can be called. */
  export const compiled: Promise<void>;
  /** Normal distribution: the probability below `a`. */
  export function ndtr(a: number): number;
  /** Normal distribution: the value below which lies that probability. */
  export function ndtri(probability: number): number;
  /** Student's distribution: the value below which lies that probability. */
  export function stdtri(degreesOfFreedom: number, probability: number): number;
}
