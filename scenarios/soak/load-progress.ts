/** Waits for a part of the load's time, for what is looked at while it is in full swing. */

import type { Soak } from "../load/soak.ts";

/** Ours: k6 ends with the last timer, so none may be long. */
const STEP_MS = 200;

/** Whether the load goes on for that share of its time; at once false where it ended before. */
export async function isOnAtShare(soak: Soak, share: number): Promise<boolean> {
  const { context, load, startMs } = soak;
  while (context.world.now() < startMs + share * load.durationMs) {
    if (soak.phase === "over") return false;
    await context.world.delay(STEP_MS);
  }
  return soak.phase !== "over";
}

/** Whether jobs are waited for so long after the last submission. */
export async function isWaitingOn(soak: Soak, afterMs: number): Promise<boolean> {
  const { world } = soak.context;
  let sinceMs = world.now();
  while (soak.phase !== "over" && world.now() < sinceMs + afterMs) {
    if (soak.phase === "offering") sinceMs = world.now();
    await world.delay(STEP_MS);
  }
  return soak.phase !== "over";
}
