/** Finds the name that somebody probably meant. */

/** The closest of the names, or null when none is close: a wrong hint is worse than none. */
function nearest(text: string, names: readonly string[]): string | null {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(text.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined || best.distance > Math.max(1, Math.floor(text.length / 3))) return null;
  return best.name;
}

/** ` (did you mean "x"?)`, or nothing. */
export function didYouMean(text: string, names: readonly string[]): string {
  const name = nearest(text, names);
  return name === null ? "" : ` (did you mean "${name}"?)`;
}

/** Levenshtein distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
