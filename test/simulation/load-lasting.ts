/**
 * A target whose load lasts as long as a test has use for; that of the embedded service takes two
 * minutes of the profile `standard`, and fifteen seconds of `quick`.
 */

import type { Target } from "../../contract/target.ts";

/**
 * Ours: 1,200 jobs. A little over 40 s tell the throughput; whether the backlog grows takes more
 * than a minute.
 */
export const TELLING_LOAD_MS = 60_000;

/**
 * The target with its load, if any, for that many milliseconds; left out: for its own time. A
 * profile cuts what is longer than its own load.
 */
export function withLoadFor({ load, ...target }: Target, durationMs?: number): Target {
  return {
    ...target,
    load: load === null ? null : { ...load, durationMs: durationMs ?? load.durationMs },
  };
}
