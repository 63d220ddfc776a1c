/**
 * Spends what a key may send at once after a rest, with requests that start nothing: a step of
 * seconds would otherwise live on the burst, and take it for what the plan sustains.
 */

import type { RunPlan } from "../../contract/run-plan.ts";
import { planKey } from "../client/plan.ts";
import { send } from "../client/send.ts";
import type { World } from "../world/world.ts";

/** Ours: requests at once; a key refills by few in the time that they take. */
const AT_ONCE = 50;
/** Ours: some limiters let twice the burst through at a window's edge. */
const BURST_FACTOR = 2;
/** Ours: for a key without a declared plan; enough for the largest fixed one, twice. Spec §8. */
const UNDECLARED_BURST = 100;

/** Until a request of the key has been answered 429, or the key seems to have no limit. */
export async function spendBurst(world: World, plan: RunPlan, name: string): Promise<void> {
  const most = (planKey(plan, name).burst ?? UNDECLARED_BURST) * BURST_FACTOR + AT_ONCE;
  for (let sent = 0; sent < most; sent += AT_ONCE) {
    const call = { method: "GET", route: "me", key: name } as const;
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => send(world, plan, call)),
    );
    if (answers.some(({ status }) => status === 429)) return;
  }
}
