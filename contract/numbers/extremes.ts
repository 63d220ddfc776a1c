/** The least and the most of as many numbers as there are: an argument list has its limits. */

/** Infinity for none. */
export function leastOf(numbers: readonly number[]): number {
  return numbers.reduce((least, each) => Math.min(least, each), Number.POSITIVE_INFINITY);
}

/** -Infinity for none. */
export function mostOf(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), Number.NEGATIVE_INFINITY);
}
