/** Seeded chance: a run prints its seed and can be played again. */

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Lower-case letters and digits, for marks and identifiers that nobody else has. */
  token(length: number): string;
}

/** As many as that of the values, by chance and in their own order. */
export function sampled<T>(random: Random, values: readonly T[], most: number): readonly T[] {
  const left = values.map((value, at) => ({ value, at, rank: random.next() }));
  const chosen = left.sort((a, b) => a.rank - b.rank).slice(0, most);
  return chosen.sort((a, b) => a.at - b.at).map(({ value }) => value);
}

/** Marsaglia's xorshift32 ("Xorshift RNGs", 2003), seeded with any integer. */
export function seededRandom(seed: number): Random {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
  const token = (length: number): string =>
    Array.from({ length }, () => Math.floor(next() * 36).toString(36)).join("");
  return { next, token };
}
