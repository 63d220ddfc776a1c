/** The rate of limiters that bar a key, whatever a bar costs; of others it says nothing. */

import { describe, expect, it } from "vitest";
import { barredRate } from "../../../../contract/judges/rate/barred.ts";
import type { Drain } from "../../../../contract/judges/rate/trial.ts";
import { createLimiter } from "../../../../reference/limiters/index.ts";
import type { Take } from "../../../../reference/limiters/limiter.ts";
import { exchangeAt, FREE, PRO } from "./simulated-trial.ts";

type Limit = typeof FREE;

/** Barred for `barMs` once it has refused, which costs so many requests. */
function barring({ sustained, burst }: Limit, cost: number, barMs = 1_000): Take {
  let [level, atMs, untilMs] = [burst, 0, 0];
  return (nowMs) => {
    level = Math.min(burst, level + ((nowMs - atMs) / 1_000) * sustained);
    atMs = nowMs;
    if (nowMs < untilMs) return { admitted: false, waitMs: untilMs - nowMs };
    const admitted = level >= 1;
    level -= admitted ? 1 : cost;
    if (!admitted) untilMs = nowMs + barMs;
    return { admitted, waitMs: 0 };
  };
}

/** An overload of 6.4 s, and after a rest a spent burst and 19 s of 1.075 of the plan. */
function drainOf(take: Take, { sustained, burst }: Limit, overloadSeconds = 6.4): Drain {
  const send = (fromMs: number, perSecond: number, seconds: number) =>
    Array.from({ length: Math.floor(perSecond * seconds) }, (_, n) => {
      const atMs = fromMs + (n * 1_000) / perSecond;
      return exchangeAt(atMs, take(atMs).admitted ? 200 : 429);
    });
  const spend = (atMs: number) =>
    Array.from({ length: burst }, () => exchangeAt(atMs, take(atMs).admitted ? 200 : 429));
  const volley = { restedMs: 5_000, shots: spend(5_000) };
  const press = send(5_050, sustained * 2.4, overloadSeconds);
  const perSecond = sustained * 1.075;
  const shots = [...spend(20_000), ...send(20_200, perSecond, 19)];
  const above = { offeredPerSecond: perSecond, shots, steadyFromMs: 24_600 };
  const below = { offeredPerSecond: sustained * 0.9, shots: [] };
  return { volley, press, even: { below, above } };
}

describe.each([
  ["free", FREE],
  ["pro", PRO],
] as const)("a key of the plan %s", (_, plan) => {
  const actual = (share: number) => ({ ...plan, sustained: plan.sustained * share });

  it.each([0, 1, 3])("has a rate between its bounds, if a bar costs %i", (cost) => {
    for (const share of [0.85, 0.9, 0.92, 0.95, 0.97]) {
      const rate = barredRate(drainOf(barring(actual(share), cost), plan), plan);
      expect(rate?.low).toBeLessThanOrEqual(plan.sustained * share);
      expect(rate?.high).toBeGreaterThanOrEqual(plan.sustained * share);
    }
  });

  it.each([0, 1])("is told to have 8 % too little, if a bar costs %i", (cost) => {
    const rate = barredRate(drainOf(barring(actual(0.92), cost), plan), plan);
    expect(rate?.high).toBeLessThan(plan.sustained * 0.95);
  });

  it("has no more than was asked for, where no overload tells what a bar costs", () => {
    const rate = barredRate(drainOf(barring(actual(0.9), 0), plan, 0.5), plan);
    expect(rate?.high).toBe(plan.sustained * 1.075);
    expect(rate?.low).toBeLessThanOrEqual(plan.sustained * 0.9);
    expect(rate?.low).toBeGreaterThan(plan.sustained * 0.85);
  });

  it.each(["token-bucket", "gcra", "fixed-window", "sliding-log", "sliding-counter"] as const)(
    "is not barred by %s",
    (kind) => {
      for (const refusedCount of [false, true]) {
        const { take } = createLimiter(kind, { ...actual(0.95), refusedCount });
        expect(barredRate(drainOf(take, plan), plan)).toBeNull();
      }
    },
  );
});
