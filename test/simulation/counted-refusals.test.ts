/**
 * Buckets in which a refused request uses up what is left of a request, or owes a few: overload
 * gets less of them than the plan, and whoever stays within the plan gets all of it.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import type { Hooks } from "../../reference/hooks.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

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
  return (promise: string) => findings.find((each) => each.promise === promise)?.verdict;
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

it("one that earns a tenth too little is told by those who stay within the plan", async () => {
  const verdictOf = await foundOf(counting(50, 0, 0.9));
  expect(verdictOf("rate.sustained")).toBe("broken");
});
