/** How a job ended, as far as anybody knows. */

import { isObject } from "../../decode/decoded.ts";
import type { EndState } from "../../states.ts";
import { END_STATES, isTerminal, parseStatus } from "../../states.ts";
import { bodyOf } from "./attempts.ts";
import type { WebhookCase } from "./case.ts";

/**
 * As it was seen, or else as its webhook tells; null where neither is so. How its worker's jobs
 * usually end tells nothing: it may have been cancelled after all, or have run for too long.
 */
export function endOf({ endSeen, deliveries }: Pick<WebhookCase, "endSeen" | "deliveries">) {
  if (endSeen !== null) return endSeen;
  for (const delivery of deliveries) {
    const told = toldIn(bodyOf(delivery));
    if (told !== null) return told;
  }
  return null;
}

function toldIn(body: unknown): EndState | null {
  const status = isObject(body) ? body.status : null;
  const state = typeof status === "string" ? parseStatus(status)?.state : null;
  return isTerminal(state) ? state : null;
}

/** Ends that none of the cases is known to have come to. */
export function endsNotTried(cases: readonly WebhookCase[]): readonly string[] {
  const ends = new Set(cases.map(endOf));
  return END_STATES.filter((end) => !ends.has(end)).map((end) => `jobs that end as ${end}`);
}
