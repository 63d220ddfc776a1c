/** Bursts of a rested key, where some requests before them were long on their way. */

import { describe, expect, it } from "vitest";
import { burstClaim } from "../../../contract/judges/rate/burst.ts";
import { measured } from "../../../contract/judges/rate/measured.ts";
import type { Burst } from "../../../contract/judges/rate/trial.ts";
import { decide } from "../../../contract/judging/decide.ts";
import { restedBurst } from "../../../scenarios/rate-limit/bursts.ts";
import { fire } from "../../../scenarios/rate-limit/sending.ts";
import { limitedPath, PRO } from "./limited-path.ts";
import type { Ways } from "./ways.ts";

/** Longer than any rest of a key whose limit forgets within 2 s. */
const LATE_MS = 6_000;
const BURSTS = 3;
const OVERLOAD = PRO.burst * 1.2;

async function judged(kind: "token-bucket" | "gcra", burst: number) {
  let isSlow = false;
  const waysOf: Ways = (place) => ({ thereMs: isSlow && place % 4 === 0 ? LATE_MS : 0, backMs: 0 });
  const path = limitedPath({ kind, actual: { burst }, refusedCount: true, waysOf });
  const { limited, until, tolerances } = path;
  const tried = async () => {
    const volleys: Burst[] = [];
    while (volleys.length < BURSTS) {
      isSlow = true;
      await fire(limited, OVERLOAD);
      isSlow = false;
      volleys.push(await restedBurst(limited));
    }
    return volleys;
  };
  const trial = {
    key: "pro-a",
    plan: "pro",
    limit: PRO,
    volleys: await until(tried()),
    drain: null,
    returns: [],
    waitsDeclined: [],
    below: null,
    endpoints: [],
    submissions: [],
  } as const;
  return decide(burstClaim([measured(trial, tolerances)], tolerances));
}

describe.each(["token-bucket", "gcra"] as const)(
  "a key rests from its last answer on: %s",
  (kind) => {
    it("a whole burst is one", async () => {
      const { verdict, summary } = await judged(kind, PRO.burst);
      expect([verdict, summary]).toEqual(["kept", summary]);
    });

    it("a burst of three quarters is none", async () => {
      const { verdict, summary } = await judged(kind, PRO.burst * 0.75);
      expect([verdict, summary]).toEqual(["broken", summary]);
    });
  },
);
