/** Figures of several numbers, and how a figure is rounded for a reader. */

/** The middle one by size, of two the greater one; 0 for none. */
export function medianOf(values: readonly number[]): number {
  return percentileOf(values, 0.5);
}

/** The one that this share of them are no greater than; 0 for none. */
export function percentileOf(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}

/** How far each is from the one before: one fewer than there are values. */
export function gapsOf(values: readonly number[]): readonly number[] {
  return values.slice(1).map((value, before) => value - (values[before] ?? value));
}

/** How many stretches of that length it takes to hold all of those times. */
export function momentsIn(times: readonly number[], length: number): number {
  let [count, end] = [0, Number.NEGATIVE_INFINITY];
  for (const at of times.toSorted((a, b) => a - b)) {
    if (at < end) continue;
    count += 1;
    end = at + length;
  }
  return count;
}

/** To so many digits behind the point. */
export function rounded(value: number, digits: number): number {
  const scale = 10 ** digits;
  // Of what is just below zero the sum makes 0, not -0.
  return Math.round(value * scale) / scale + 0;
}

/** "12.5 %" of 0.125, with so many digits behind the point. */
export function percent(share: number, digits: number): string {
  return `${Math.round(share * 10 ** (digits + 2)) / 10 ** digits} %`;
}

/**
 * "2.5 s" of 2,500 ms, with so many digits behind the point at the most: by default three, as times
 * of test services may be fractions of a second.
 */
export function secondsText(ms: number, digits = 3): string {
  return `${rounded(ms / 1_000, digits)} s`;
}

/** The greater one; of what is not known (null) nothing follows. */
export function greaterOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

/** "1 job", "2 jobs". */
export function countText(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
