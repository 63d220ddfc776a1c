/** A burst that lies on the edge of two windows weighs on both: no bucket admits like that. */

import { describe, expect, it } from "vitest";
import { estimateLimiter } from "../../../../contract/judges/rate/estimate.ts";
import type { Drain } from "../../../../contract/judges/rate/trial.ts";
import { windowMs } from "../../../../contract/plans.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import { judgedSustained } from "./judged.ts";
import { exchangeAt, PRO } from "./simulated-trial.ts";

const WINDOW_MS = windowMs(PRO);
const EDGE_MS = 1_000 * WINDOW_MS;
const BURST = { count: 115, everyMs: 0.2 };
const OVERLOAD = { perSecond: 120, forMs: 6_400 };

/** A burst that begins so long before an edge of windows, and an overload right after it. */
function drainAt(beforeEdgeMs: number, actual: typeof PRO): Drain {
  const limiter = createLimiter("sliding-counter", { ...actual, refusedCount: false });
  const shoot = (atMs: number) => exchangeAt(atMs, limiter.take(atMs + 1).admitted ? 200 : 429);
  const startMs = EDGE_MS - beforeEdgeMs;
  const burst = Array.from({ length: BURST.count }, (_, at) => shoot(startMs + at * BURST.everyMs));
  const overload = Array.from({ length: (OVERLOAD.perSecond * OVERLOAD.forMs) / 1_000 }, (_, at) =>
    shoot(startMs + 30 + (at * 1_000) / OVERLOAD.perSecond),
  );
  return { volley: { restedMs: 3 * WINDOW_MS, shots: burst }, press: overload };
}

const sustainedOf = (drain: Drain) => judgedSustained({ key: "pro-a", limit: PRO, drain });

describe.each([0, 1, 3, 6, 10, 14, 18, 20, 22, 25])("%i ms before the edge", (beforeEdgeMs) => {
  it("the plan's rate is kept", () => {
    expect(sustainedOf(drainAt(beforeEdgeMs, PRO))).toMatchObject({ verdict: "kept" });
  });

  it.each([44, 56])("%i/s is broken", (sustained) => {
    const actual = { sustained, burst: (PRO.burst * sustained) / PRO.sustained };
    expect(sustainedOf(drainAt(beforeEdgeMs, actual))).toMatchObject({ verdict: "broken" });
  });
});

it("is called a window counter, as no bucket of any rate fits", () => {
  expect(estimateLimiter(drainAt(10, PRO), PRO)).toMatchObject({ kind: "sliding window counter" });
});
