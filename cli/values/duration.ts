/** Durations as configuration writes them: a number and its unit. */

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export const DURATION_FORM = "a duration such as 500ms, 2s, 5m or 1h";

export const DURATION_PATTERN = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)$/;

/** Milliseconds of "500ms", "2s", "1.5m", "1h"; null for any other text. */
export function parseDuration(text: string): number | null {
  const match = DURATION_PATTERN.exec(text.trim());
  const unitMs = UNIT_MS[match?.[2] ?? ""];
  return unitMs === undefined ? null : Number(match?.[1]) * unitMs;
}
