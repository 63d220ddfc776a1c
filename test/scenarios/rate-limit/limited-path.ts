/** A key of the plan pro whose requests pass one limiter, on a path with ways of its own. */

import type { RateLimit } from "../../../contract/plans.ts";
import { PLAN_LIMITS } from "../../../contract/plans.ts";
import type { Choices } from "../../../reference/choices.ts";
import { createLimiter } from "../../../reference/limiters/index.ts";
import { limitedKey } from "../../../scenarios/rate-limit/key.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { preparing } from "../../../scenarios/world/world.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";
import type { Ways } from "./ways.ts";
import { withWays } from "./ways.ts";

export const PRO = PLAN_LIMITS.pro;

interface Path {
  kind: Choices["limiter"];
  /** What the limiter lets in, where that is not the plan. */
  actual?: Partial<RateLimit>;
  refusedCount: boolean;
  waysOf: Ways;
  /** Left out: the suite's machine keeps to its times. */
  machine?: (world: World) => World;
}

export function limitedPath({ kind, actual, refusedCount, waysOf, machine }: Path) {
  const limiter = createLimiter(kind, { ...PRO, ...actual, refusedCount });
  const answer = (_: unknown, nowMs: number) => {
    const { admitted, waitMs } = limiter.take(nowMs);
    const headers = { "retry-after": String(Math.ceil(waitMs / 1_000)) };
    return admitted ? { status: 200 } : { status: 429, headers };
  };
  const { world, until } = smallWorld(answer, { "KEY_pro-a": "a-key" });
  const plan = { ...BASE_PLAN, keys: [key("pro-a", { plan: "pro", ...PRO })] };
  const uneven = withWays(machine?.(world) ?? world, waysOf);
  const path = { ...uneven, prepare: preparing((request) => uneven.request(request)) };
  const limited = limitedKey(path, plan, seededRandom(1), "pro-a", "pro", PRO);
  return { limited, until, tolerances: plan.tolerances };
}
