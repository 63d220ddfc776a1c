/** Keeps the suite's own requests below a key's plan, so that it never causes what it judges. */

import { pacing } from "../../contract/limits/pacing.ts";
import { UNDECLARED_PER_SECOND } from "../../contract/plans.ts";
import type { PlanKey } from "../../contract/run/run-plan.ts";
import type { World } from "../world/world.ts";
import { delayUntil } from "../world/world.ts";

/**
 * Ours: share of the sustained rate and of the burst that a careful caller uses. Together they stay
 * below the burst in any window of burst / sustained, so no lawful limiter refuses such a caller.
 */
const RATE_SHARE = 0.6;
const BURST_SHARE = 0.25;

/** Ours: a wait that is told is kept to, up to this. */
export const HOLD_MS_MAX = 10_000;

export interface Pacer {
  /** Resolves when one more request may be sent; callers are served in order. */
  turn(): Promise<void>;
  /** No turn before that time: for an answer 429 with its Retry-After. */
  holdUntil(atMs: number): void;
  /** From now on as for a key whose plan nobody declared: a limit that is not known was met. */
  slowDown(): void;
}

/** Requests per second that a careful caller sends with this key, below its plan. */
export function pacePerSecond({ sustained }: Pick<PlanKey, "sustained">): number {
  return sustained === null ? UNDECLARED_PER_SECOND : sustained * RATE_SHARE;
}

export function pacerFor(world: World, key: Pick<PlanKey, "sustained" | "burst">): Pacer {
  return pacerAt(world, pacePerSecond(key), Math.floor((key.burst ?? 0) * BURST_SHARE));
}

/** Up to `slack` requests ahead of their time, after a rest. */
export function pacerAt(
  world: Pick<World, "now" | "delay">,
  perSecond: number,
  slack: number,
): Pacer {
  const { book, holdUntil, use } = pacing(perSecond, slack);
  return {
    turn: () => delayUntil(world, book(world.now())),
    holdUntil,
    slowDown: () => use(Math.min(perSecond, UNDECLARED_PER_SECOND)),
  };
}
