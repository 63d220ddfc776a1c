/** Timestamps as the service spells them. */

import type { Choices } from "./choices.ts";

/** ISO 8601 in UTC with milliseconds. Spec §2.4, §2.5. */
export function isoTimestamp(atMs: number, utc: Choices["utc"]): string {
  const text = new Date(atMs).toISOString();
  return utc === "Z" ? text : `${text.slice(0, -1)}+00:00`;
}
