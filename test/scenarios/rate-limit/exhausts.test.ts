/** Keys that more has to be asked of than their burst before one request is refused. */

import { expect, it } from "vitest";
import { shotsWith } from "../../../contract/judges/rate/trial.ts";
import { PLAN_LIMITS } from "../../../contract/plans.ts";
import { createLimiter } from "../../../reference/limiters/index.ts";
import { exhaust, exhaustInTurn } from "../../../scenarios/rate-limit/exhaust.ts";
import type { LimitedKey } from "../../../scenarios/rate-limit/key.ts";
import { burstSize, limitedKey } from "../../../scenarios/rate-limit/key.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";
import { limitedPath } from "./limited-path.ts";
import { withWays } from "./ways.ts";

const LIMITS = { ...PLAN_LIMITS, enterprise: { sustained: 250, burst: 500 } };
const BACK_MS = 12;
const LATE_MS = 3_000;

/** What is refused of a key of which more than a burst waits for up to 400 ms. */
async function refusedOf(
  plan: "free" | "pro" | "enterprise",
  lateEach: number,
  exhausted: (limited: LimitedKey) => Promise<Parameters<typeof shotsWith>[0]>,
) {
  const limit = LIMITS[plan];
  const limiter = createLimiter("delaying-bucket", { ...limit, refusedCount: false });
  const answer = (_: unknown, nowMs: number) => {
    const { admitted, delayMs = 0 } = limiter.take(nowMs);
    return admitted ? { status: 200, heldMs: delayMs } : { status: 429 };
  };
  const { world, until } = smallWorld(answer, { KEY_own: "a-key" });
  const runPlan = { ...BASE_PLAN, keys: [key("own", { plan, ...limit })] };
  let sent = 0;
  const far = withWays(world, () => {
    sent += 1;
    return { thereMs: 0, backMs: sent % lateEach === 7 ? LATE_MS : BACK_MS };
  });
  const limited = limitedKey(far, runPlan, seededRandom(1), "own", plan, limit);
  return shotsWith(await until(exhausted(limited)), "refused").length;
}

it.each(["free", "pro", "enterprise"] as const)(
  "%s: so many ask in turn that one is refused, though what is beyond the burst waits",
  async (plan) => {
    const refused = await refusedOf(plan, Infinity, async (limited) => {
      return (await exhaustInTurn(limited)).shots;
    });
    expect(refused).toBeGreaterThan(0);
  },
);

it.each(["free", "pro", "enterprise"] as const)(
  "%s: so many are fired that one is refused, though some answers are late",
  async (plan) => {
    const few = await refusedOf(plan, 40, (limited) => exhaust(limited, 3));
    expect(few).toBeGreaterThan(0);
    const refused = await refusedOf(plan, 40, (limited) =>
      exhaust(limited, burstSize(limited.limit)),
    );
    expect(refused).toBeGreaterThan(0);
  },
);

it("after a wait little more is fired than was earned in it, on a long way as well", async () => {
  const waysOf = () => ({ thereMs: 50, backMs: 50 });
  const { limited, until } = limitedPath({ kind: "token-bucket", refusedCount: false, waysOf });
  const again = async () => {
    await exhaust(limited);
    await limited.world.delay(1_000);
    return await exhaust(limited);
  };
  const shots = await until(again());
  // 50 a second were earned from the last refusal on, which was decided 50 ms before its answer.
  expect(shotsWith(shots, "admitted").length).toBeGreaterThanOrEqual(55);
  expect(shotsWith(shots, "refused").length).toBeGreaterThan(0);
  expect(shots.length).toBeLessThan(70);
});
