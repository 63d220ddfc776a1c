/** Timestamps as the service spells them. */

import type { Choices } from "./choices.ts";

/** ISO 8601 in UTC. Spec §2.4, §2.5. */
export function isoTimestamp(
  atMs: number,
  { utc, stamps }: Pick<Choices, "utc" | "stamps">,
): string {
  const text = new Date(atMs).toISOString().slice(0, -1);
  return SPELLED[stamps](text, utc);
}

const SPELLED: Readonly<Record<Choices["stamps"], (text: string, utc: string) => string>> = {
  ms: (text, utc) => text + utc,
  us: (text, utc) => `${text}417${utc}`,
  s: (text, utc) => text.slice(0, text.indexOf(".")) + utc,
  trimmed: (text, utc) => text.replace(/\.?0+$/, "") + utc,
  // The basic format has no separators in date, time and offset. ISO 8601.
  basic: (text, utc) => (text + utc).replace(/[-:]/g, ""),
  // RFC 3339 §5.6, note.
  small: (text, utc) => (text + utc).toLowerCase(),
};
