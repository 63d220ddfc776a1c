/** Timestamps as the service spells them. */

import type { Choices } from "./choices.ts";

/** ISO 8601 in UTC. Spec §2.4, §2.5. */
export function isoTimestamp(
  atMs: number,
  { utc, stamps }: Pick<Choices, "utc" | "stamps">,
): string {
  const text = new Date(atMs).toISOString().slice(0, -1);
  return SPELLED[stamps](text) + utc;
}

const SPELLED: Readonly<Record<Choices["stamps"], (text: string) => string>> = {
  ms: (text) => text,
  us: (text) => `${text}417`,
  s: (text) => text.slice(0, text.indexOf(".")),
  trimmed: (text) => text.replace(/\.?0+$/, ""),
};
