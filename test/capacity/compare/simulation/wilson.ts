/** The interval of a share that was counted. */

/** Two-sided 95 % interval of hits / count. E. B. Wilson, JASA 22 (1927). */
export function wilson(hits: number, count: number): { low: number; high: number } {
  const z = 1.959964;
  const share = hits / count;
  const centre = (share + z ** 2 / (2 * count)) / (1 + z ** 2 / count);
  const spread = Math.sqrt((share * (1 - share)) / count + z ** 2 / (4 * count ** 2));
  const reach = (z / (1 + z ** 2 / count)) * spread;
  return { low: Math.max(0, centre - reach), high: Math.min(1, centre + reach) };
}
