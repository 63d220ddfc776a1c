/**
 * Buckets in which a refused request uses up what is left of a request, or owes a few: overload
 * gets less of them than the plan, and whoever stays within the plan gets all of it.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import type { Hooks } from "../../reference/hooks.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

interface Bucket {
  level: number;
  tick: number;
}

/** Refilled each `tickMs`; refused requests are owed up to `owedMax`. `share`: of the plan. */
function counting(tickMs: number, owedMax: number, share = 1): Partial<Hooks> {
  const buckets = new Map<string, Bucket>();
  return {
    decision(_, { name, sustained, burst }, _request, nowMs) {
      const perTick = (sustained * share * tickMs) / 1_000;
      const tick = Math.floor(nowMs / tickMs);
      const bucket = buckets.get(name) ?? { level: burst, tick };
      buckets.set(name, bucket);
      bucket.level = Math.min(burst, bucket.level + (tick - bucket.tick) * perTick);
      bucket.tick = tick;
      const admitted = bucket.level >= 1;
      bucket.level = admitted ? bucket.level - 1 : Math.max(-owedMax, bucket.level - 1);
      const ticks = Math.ceil((1 - bucket.level) / perTick);
      return { admitted, waitMs: admitted ? 0 : (tick + ticks) * tickMs - nowMs };
    },
  };
}

/** Bars a key for a second, or half of its window, once it has refused: that request counts. */
function barring(share = 1): Partial<Hooks> {
  const keys = new Map<string, { level: number; atMs: number; untilMs: number }>();
  return {
    decision(_, { name, sustained, burst }, _request, nowMs) {
      const key = keys.get(name) ?? { level: burst, atMs: nowMs, untilMs: nowMs };
      keys.set(name, key);
      const earned = ((nowMs - key.atMs) / 1_000) * sustained * share;
      key.level = Math.min(burst, key.level + earned);
      key.atMs = nowMs;
      if (nowMs < key.untilMs) return { admitted: false, waitMs: key.untilMs - nowMs };
      const admitted = key.level >= 1;
      key.level -= 1;
      if (!admitted) key.untilMs = nowMs + Math.min(1_000, (burst / sustained) * 500);
      return { admitted, waitMs: key.untilMs - nowMs };
    },
  };
}

async function foundOf(hooks: Partial<Hooks>) {
  const counted: Fault = {
    name: "test/counting-bucket",
    promise: "rate.sustained",
    title: "refused requests count a little",
    nearMiss: true,
    create: () => hooks,
  };
  const { findings } = await simulateGate({
    seed: 1,
    only: ["rate.sustained", "rate.burst", "rate.within-plan"],
    service: { variant: "A", faults: [counted.name] },
    otherFaults: [counted],
  });
  return (promise: string) => findingOf(findings, promise).verdict;
}

it.each([
  [50, 0],
  [200, 5],
  [1_000, 5],
])("a bucket of %i ms a step that owes up to %i refused requests keeps its plan", async (...of) => {
  const verdictOf = await foundOf(counting(...of));
  expect(verdictOf("rate.sustained")).toBe("kept");
  expect(verdictOf("rate.burst")).toBe("kept");
  expect(verdictOf("rate.within-plan")).toBe("kept");
});

it("one of 3 % less, which pays off what it owes for seconds, is not called broken", async () => {
  const verdictOf = await foundOf(counting(1_000, 5, 0.97));
  expect(verdictOf("rate.sustained")).not.toBe("broken");
});

it("one that bars a key once it has refused, and counts that request, keeps its plan", async () => {
  const verdictOf = await foundOf(barring());
  expect(verdictOf("rate.sustained")).toBe("kept");
  expect(verdictOf("rate.burst")).toBe("kept");
  expect(verdictOf("rate.within-plan")).toBe("kept");
});

it("one that does so and earns 15 % too little does not", async () => {
  const verdictOf = await foundOf(barring(0.85));
  expect(verdictOf("rate.sustained")).toBe("broken");
});

it("one that earns a tenth too little is told by those who stay within the plan", async () => {
  const verdictOf = await foundOf(counting(50, 0, 0.9));
  expect(verdictOf("rate.sustained")).toBe("broken");
});
