/** Timestamps as the service spells them. */

import type { Choices } from "./choices.ts";

/** ISO 8601 in UTC. Spec §2.4, §2.5. */
export function isoTimestamp(
  atMs: number,
  { utc, stamps }: Pick<Choices, "utc" | "stamps">,
): string {
  return SPELLED[stamps](withoutZone(atMs), utc);
}

/** Texts of seconds, with the point after them: the stamps of a job are shown many times. */
const seconds = new Map<number, string>();
/** Ours: what is shown at about the same time. */
const SECONDS_MAX = 100;

function withoutZone(atMs: number): string {
  const wholeMs = Math.floor(atMs);
  const second = Math.floor(wholeMs / 1_000);
  const known = seconds.get(second);
  const text = known ?? new Date(second * 1_000).toISOString().slice(0, -"000Z".length);
  if (known === undefined) {
    if (seconds.size >= SECONDS_MAX) seconds.clear();
    seconds.set(second, text);
  }
  return text + String(wholeMs - second * 1_000).padStart(3, "0");
}

/** As from a column of whole seconds, such as MySQL's DATETIME. */
const zeros = (text: string, utc: string) => `${text.slice(0, text.indexOf("."))}.000${utc}`;

const SPELLED: Readonly<Record<Choices["stamps"], (text: string, utc: string) => string>> = {
  ms: (text, utc) => text + utc,
  us: (text, utc) => `${text}417${utc}`,
  s: (text, utc) => text.slice(0, text.indexOf(".")) + utc,
  trimmed: (text, utc) => text.replace(/\.?0+$/, "") + utc,
  // The basic format has no separators in date, time and offset. ISO 8601.
  basic: (text, utc) => (text + utc).replace(/[-:]/g, ""),
  // RFC 3339 §5.6, note.
  small: (text, utc) => (text + utc).toLowerCase(),
  zeros,
  // Of what is no run's, as `ms`.
  scheduler: (text, utc) => text + utc,
};
