/** A target whose load lasts as long as a test has use for; the embedded one's takes 3 minutes. */

import type { Target } from "../../contract/target.ts";

/** Ours: 1,200 jobs; less does not tell the throughput. */
export const MINUTE_MS = 60_000;

/** The target with its load, if any, for that many milliseconds; left out: for its own time. */
export function withLoadFor({ load, ...target }: Target, durationMs?: number): Target {
  return {
    ...target,
    load: load === null ? null : { ...load, durationMs: durationMs ?? load.durationMs },
  };
}
