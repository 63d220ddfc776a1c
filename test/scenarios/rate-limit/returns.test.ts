/** Returns after the told wait, where a request of the exhausting ones was long on its way. */

import { expect, it } from "vitest";
import { sufficientClaim } from "../../../contract/judges/rate/retry-after-sufficient.ts";
import { decide } from "../../../contract/judging/decide.ts";
import { createLimiter } from "../../../reference/limiters/index.ts";
import { limitedKey } from "../../../scenarios/rate-limit/key.ts";
import { runTrial } from "../../../scenarios/rate-limit/trial.ts";
import { seededRandom } from "../../../scenarios/world/random.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { key } from "../../gate/base-target.ts";
import { BASE_PLAN } from "../../runner/base-plan.ts";
import { smallWorld } from "../world/small-world.ts";

const LIMIT = { sustained: 1, burst: 1 };
/** Arrives when the bucket has just earned a request again. */
const LATE_MS = 1_001;

/** The fourth of some bunches of requests comes late to a healthy bucket. */
function lateOnes(world: World): World {
  let bunch = { atMs: 0, sent: 0, number: 0 };
  return {
    ...world,
    async request(request) {
      const atMs = world.now();
      if (atMs !== bunch.atMs) bunch = { atMs, sent: 0, number: bunch.number + 1 };
      bunch.sent += 1;
      const isLate = bunch.sent === 4 && bunch.number % 8 < 4;
      if (isLate) await world.delay(LATE_MS);
      return world.request(request);
    },
  };
}

it("a request that was decided after the refusal is no silence", async () => {
  const limiter = createLimiter("token-bucket", { ...LIMIT, refusedCount: false });
  const answer = (_: unknown, nowMs: number) => {
    const { admitted, waitMs } = limiter.take(nowMs);
    const headers = { "retry-after": String(Math.ceil(waitMs / 1_000)) };
    return admitted ? { status: 200 } : { status: 429, headers };
  };
  const { world, until } = smallWorld(answer, { "KEY_free-a": "a-key" });
  const plan = { ...BASE_PLAN, keys: [key("free-a", { plan: "free", ...LIMIT })] };
  const limited = limitedKey(lateOnes(world), plan, seededRandom(1), "free-a", "free", LIMIT);
  const parts = { drain: false, endpoints: false, returns: true, below: false };
  const trial = await until(runTrial(limited, parts, { bursts: [], endpoints: [] }));
  const { verdict, summary } = decide(sufficientClaim([{ ...trial, limiter: null }]));
  expect([verdict, summary]).toEqual(["kept", summary]);
});
