/** Adjusts probabilities for having asked several questions. */

/** Adjusted probabilities, in the order given. S. Holm, Scandinavian J. of Statistics 6 (1979). */
export function holm(probabilities: readonly number[]): number[] {
  const order = probabilities
    .map((probability, at) => ({ probability, at }))
    .sort((a, b) => a.probability - b.probability);
  const adjusted = new Array<number>(probabilities.length).fill(1);
  let least = 0;
  for (const [rank, { probability, at }] of order.entries()) {
    least = Math.min(1, Math.max(least, probability * (probabilities.length - rank)));
    adjusted[at] = least;
  }
  return adjusted;
}
