/** What overloads and bursts tell of limiters of known kinds. */

import { describe, expect, it } from "vitest";
import { burstByOverload, estimateLimiter } from "../../../../contract/judges/rate/estimate.ts";
import { estimateBurst } from "../../../../contract/judges/rate/measurement.ts";
import type { Burst } from "../../../../contract/judges/rate/trial.ts";
import type { Exchange } from "../../../../contract/requests/exchange.ts";
import { FREE, PRO, simulateTrial } from "./simulated-trial.ts";

describe("estimates", () => {
  it("sustained within 1 % and burst within 1 for a token bucket, at any phase", () => {
    for (const promised of [FREE, PRO]) {
      for (let seed = 1; seed <= 50; seed++) {
        const trial = simulateTrial({ kind: "token-bucket", actual: promised, promised, seed });
        if (trial.drain === null) throw new Error("the simulated trial has a drain");
        const { sustained } = estimateLimiter(trial.drain, promised);
        expect(Math.abs((sustained?.value ?? 0) / promised.sustained - 1)).toBeLessThan(0.01);
        const burst = estimateBurst(trial.volleys, promised);
        expect(Math.abs((burst?.value ?? 0) - promised.burst)).toBeLessThanOrEqual(1);
      }
    }
  });

  describe("of a limit's burst where the generator was held up", () => {
    const { volleys: bursts } = simulateTrial({ kind: "token-bucket", actual: PRO, promised: PRO });
    const heldUp = (burst: Burst, ms: number): Burst => ({
      ...burst,
      shots: burst.shots.map((shot) => ({ ...shot, receivedAtMs: shot.receivedAtMs + ms })),
    });

    it("leave out those that were", () => {
      const [first, ...others] = bursts;
      if (first === undefined) throw new Error("the simulated trial has bursts");
      const burst = estimateBurst([heldUp(first, 2_300), ...others], PRO);
      expect(burst).toEqual(estimateBurst(others, PRO));
    });

    it("are none where all were", () => {
      const all = bursts.map((burst) => heldUp(burst, 2_300));
      expect(estimateBurst(all, PRO)).toBeNull();
    });
  });

  it.each(["token-bucket", "sliding-log", "fixed-window"] as const)(
    "sustained of %s, one in thirty answers of which comes seconds late",
    (kind) => {
      const { drain } = simulateTrial({ kind, actual: PRO, promised: PRO });
      if (drain === null) throw new Error("the simulated trial has a drain");
      const press = drain.press.map((shot, at) => {
        const lateMs = at % 30 === 7 ? 3_000 : 0;
        return { ...shot, receivedAtMs: shot.receivedAtMs + lateMs };
      });
      const { sustained } = estimateLimiter({ ...drain, press }, PRO);
      expect(sustained?.value).toBeGreaterThan(0.98 * PRO.sustained);
      expect(sustained?.value).toBeLessThan(1.02 * PRO.sustained);
      expect(sustained?.low).toBeLessThan(0.98 * PRO.sustained);
    },
  );

  it.each(["fixed-window", "aligned-window"] as const)(
    "a burst of %s is its count, however slowly the answers came",
    (kind) => {
      const { volleys: bursts } = simulateTrial({ kind, actual: PRO, promised: PRO });
      const slow = bursts.map(({ shots, ...burst }) => ({
        ...burst,
        shots: shots.map((shot) => ({ ...shot, receivedAtMs: shot.receivedAtMs + 150 })),
      }));
      const burst = estimateBurst(slow, PRO, "fixed window or sliding log");
      expect(burst).toEqual({ value: 100, low: 100, high: 100 });
    },
  );

  describe("of a bucket that a loaded machine answers late", () => {
    const BIG = { sustained: 200, burst: 400 };
    const trial = simulateTrial({ kind: "token-bucket", actual: BIG, promised: BIG });
    const late = (shot: Exchange, ms: number) => ({
      ...shot,
      receivedAtMs: shot.receivedAtMs + ms,
    });

    it("hold its burst between their bounds", () => {
      const slow = trial.volleys.map(({ shots, ...volley }, at) => ({
        ...volley,
        shots: shots.map((shot, index) => late(shot, (index % 7) * (20 + 10 * at))),
      }));
      const { low = 0, high = 0 } = estimateBurst(slow, BIG) ?? {};
      expect(low).toBeLessThanOrEqual(BIG.burst);
      expect(high).toBeGreaterThanOrEqual(BIG.burst);
    });

    it("tell its burst by the overload, where the volleys' answers leave it open", () => {
      for (const burst of [380, 393, 400]) {
        const actual = { ...BIG, burst };
        const { drain, volleys } = simulateTrial({ kind: "token-bucket", actual, promised: BIG });
        if (drain === null) throw new Error("the simulated trial has a drain");
        const slow = volleys.map(({ shots, ...volley }) => {
          return { ...volley, shots: shots.map((shot, index) => late(shot, index % 80)) };
        });
        const told = burstByOverload(drain, estimateLimiter(drain, BIG));
        const { value = 0 } = estimateBurst(slow, BIG, "token bucket or GCRA", told) ?? {};
        expect(Math.abs(value - burst)).toBeLessThanOrEqual(1);
        const middle = estimateBurst(slow, BIG)?.value ?? 0;
        expect(Math.abs(middle - burst)).toBeGreaterThan(3);
      }
    });

    it("take no late answer for a pause", () => {
      const { drain } = trial;
      if (drain === null) throw new Error("the simulated trial has a drain");
      const press = drain.press.map((shot, index) => late(shot, index < 20 ? 60 : 0));
      expect(estimateLimiter({ ...drain, press }, BIG).kind).toBe("token bucket or GCRA");
    });
  });

  const named = {
    "token-bucket": "token bucket or GCRA",
    gcra: "token bucket or GCRA",
    "fixed-window": "fixed window or sliding log",
    "sliding-log": "fixed window or sliding log",
    "sliding-counter": "sliding window counter",
  } as const;
  for (const kind of Object.keys(named) as (keyof typeof named)[]) {
    it(`${kind} is told as "${named[kind]}" at most phases`, () => {
      const seeds = Array.from({ length: 25 }, (_, index) => index + 1);
      const right = seeds.filter((seed) => {
        const { drain } = simulateTrial({ kind, actual: PRO, promised: PRO, seed });
        return drain !== null && estimateLimiter(drain, PRO).kind === named[kind];
      });
      expect(right.length).toBeGreaterThan(seeds.length * 0.7);
    });
  }
});
