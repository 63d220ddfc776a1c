/** How long a scenario bears with what fails while others do not, before that is the answer. */

import { AWAY_MS, UNAUTHORIZED } from "../../contract/judges/expected-status.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { World } from "../world/world.ts";

/** Ours: two accidents; what fails more often costs no more time, and is judged at once. */
const PATIENCE_MS = 2 * AWAY_MS;

export class Patience {
  private leftMs = PATIENCE_MS;
  private grantedUntilMs = Number.NEGATIVE_INFINITY;
  private readonly lost = new Set<string>();

  /**
   * Until when to ask again the endpoint that has failed since `sinceMs`; now, where no patience is
   * left, or where it was waited for in vain. What is waited for side by side is counted once.
   */
  until(endpoint: string, sinceMs: number, nowMs: number): number {
    if (this.lost.has(endpoint)) return nowMs;
    const untilMs = Math.max(nowMs, sinceMs + AWAY_MS);
    const moreMs = Math.max(0, untilMs - Math.max(nowMs, this.grantedUntilMs));
    if (moreMs > this.leftMs) return nowMs;
    this.leftMs -= moreMs;
    this.grantedUntilMs = Math.max(this.grantedUntilMs, untilMs);
    return untilMs;
  }

  /** It failed for as long as no accident lasts. */
  giveUp(endpoint: string): void {
    this.lost.add(endpoint);
  }
}

/** Its parameters and bodies count as one. */
export function endpointOf({ method, route }: Pick<Exchange, "method" | "route">): string {
  return `${method} ${route}`;
}

/**
 * Waits until no accident lasts that long, where most of those answers are 5xx, or 401 to an active
 * key: writes alone, or a store of keys, may be away for a moment. Whether it waited.
 */
export async function outlast(
  world: World,
  patience: Patience,
  answers: readonly Exchange[],
): Promise<boolean> {
  const failed = answers.filter(({ status }) => status >= 500 || status === UNAUTHORIZED);
  const [first] = failed;
  if (first === undefined || failed.length * 2 <= answers.length) return false;
  const nowMs = world.now();
  const waitMs = patience.until(endpointOf(first), first.sentAtMs, nowMs) - nowMs;
  await world.delay(waitMs);
  return waitMs > 0;
}
