/** Keys on a machine that stalls, and on a path that holds requests up. */

import { describe, expect, it } from "vitest";
import { shotsWith } from "../../../contract/judges/rate/trial.ts";
import { withinPlanClaim } from "../../../contract/judges/rate/within-plan.ts";
import { decide } from "../../../contract/judging/decide.ts";
import { windowMs } from "../../../contract/plans.ts";
import type { Choices } from "../../../reference/choices.ts";
import { exhaust } from "../../../scenarios/rate-limit/exhaust.ts";
import { burstSize } from "../../../scenarios/rate-limit/key.ts";
import { stayBelow } from "../../../scenarios/rate-limit/steady.ts";
import type { World } from "../../../scenarios/world/world.ts";
import { limitedPath, PRO } from "./limited-path.ts";
import type { Ways } from "./ways.ts";

const STALL = { everyMs: 1_000, ms: 250 };
/** A path so uneven that the gentlest pace is tried. */
const UNEVEN_MS = 400;

function stalling(world: World): World {
  const delay = (ms: number) => {
    const intoMs = (world.now() + ms) % STALL.everyMs;
    return world.delay(ms + Math.max(0, STALL.ms - intoMs));
  };
  return { ...world, delay };
}

function keyOn(path: Omit<Parameters<typeof limitedPath>[0], "refusedCount" | "machine">) {
  return limitedPath({ ...path, refusedCount: false, machine: stalling });
}

async function judged(kind: Choices["limiter"], sustained: number) {
  const waysOf: Ways = (_, bunch) => ({ thereMs: 0, backMs: bunch % 20 === 0 ? UNEVEN_MS : 0 });
  const { limited, until } = keyOn({ kind, actual: { sustained }, waysOf });
  const below = await until(stayBelow(limited, null));
  return decide(withinPlanClaim([{ key: "pro-a", limit: PRO, below }]));
}

const KINDS = ["token-bucket", "gcra", "sliding-log", "sliding-counter"] as const;

describe.each(KINDS)("a pace below the plan: %s", (kind) => {
  it("that lets in what the plan promises keeps it", async () => {
    const { verdict, summary } = await judged(kind, PRO.sustained);
    expect([verdict, summary]).toEqual(["kept", summary]);
  });

  it("that lets in half of it does not", async () => {
    const { verdict, summary } = await judged(kind, PRO.sustained / 2);
    expect([verdict, summary]).toEqual(["broken", summary]);
  });
});

describe.each(KINDS)("exhausted: %s", (kind) => {
  it("refuses some of what comes scattered over more than a window", async () => {
    const scatteredMs = 1.2 * windowMs(PRO);
    const waysOf: Ways = (place) => ({ thereMs: (place * 37) % scatteredMs, backMs: 0 });
    const { limited, until } = keyOn({ kind, waysOf });
    const shots = await until(exhaust(limited, burstSize(PRO)));
    expect(shotsWith(shots, "refused")).not.toEqual([]);
  });
});
