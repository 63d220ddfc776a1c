/** Durations and times as a person reads them. */

/** `0.25 s`, `8.1 s`, `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function spell(ms: number): string {
  if (ms < 9_950) return `${fraction(Math.max(0, ms) / 1_000)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joined(minutes, "min", seconds % 60, "s");
  return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** `14:03:27`, in UTC, as logs and metrics tell it. */
export function clockTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

/** The same, with the date where it is not today's. */
export function dayTime(atMs: number, nowMs: number): string {
  const [day, today] = [atMs, nowMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
  return day === today ? clockTime(atMs) : `${day} ${clockTime(atMs)}`;
}

function fraction(seconds: number): string {
  return seconds.toFixed(seconds < 0.995 ? 2 : 1).replace(/\.0+$/, "");
}

function joined(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
}

/** Why the probe pauses; `askedMs`: the wait that a 429 asked for, null where it named none. */
export function pauseText(askedMs: number | null): string {
  if (askedMs === null) return "a 429 without a usable Retry-After";
  return `a 429 asked for a wait of ${spell(askedMs)} (Retry-After)`;
}
