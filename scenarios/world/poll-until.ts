/** The one loop that asks for something again, until enough was seen or it is too late. */

import type { World } from "./world.ts";

export interface Polling<Seen> {
  ask(): Promise<Seen> | Seen;
  isEnough(seen: Seen): boolean;
  /** Nothing is asked for again once that time has passed; it is asked for once in any case. */
  untilMs: number;
  /** From one answer to the next time. */
  waitMs(seen: Seen): number;
}

/** Gives back what was seen last. */
export async function pollUntil<Seen>(
  world: Pick<World, "now" | "delay">,
  { ask, isEnough, untilMs, waitMs }: Polling<Seen>,
): Promise<Seen> {
  for (;;) {
    const seen = await ask();
    if (isEnough(seen) || world.now() >= untilMs) return seen;
    await world.delay(waitMs(seen));
  }
}
