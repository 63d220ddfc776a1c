/** The whole search on simulated services: the edge, its interval, and what gives way. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCapacity } from "../../capacity/find-capacity.ts";
import type { CapacityOptions } from "../../capacity/options.ts";
import { drainWithin, orderOf } from "../../capacity/step-plan.ts";
import { BUDGET_ENDED } from "../../contract/limits/budget.ts";
import type { CapacityResult } from "../../report/capacity-model.ts";
import { capacitySchema } from "../../report/capacity-model.ts";
import { renderCapacity } from "../../report/capacity-terminal.ts";
import { seededRandom } from "../../scenarios/world/random.ts";
import { searchOptions } from "./options.ts";
import type { SimulatedService } from "./simulated-service.ts";
import { capacityOf, simulateStep } from "./simulated-service.ts";

const SLOTS: SimulatedService = {
  kind: "slots",
  slots: 20,
  runSeconds: 0.5,
  admitted: 0,
  variation: 0,
  busyShare: 0,
  failing: 0,
};

/** Searches the service, in no time at all. */
function search(
  given: Partial<SimulatedService>,
  options: Partial<CapacityOptions> = {},
  seed = 1,
): Promise<CapacityResult> {
  const random = seededRandom(seed);
  return findCapacity(searchOptions(options), async (_, order) => {
    const measurement = simulateStep({ ...SLOTS, ...given }, order, random);
    const jobs = Math.ceil((order.ratePerSecond * order.durationMs) / 1_000);
    return { measurement, trouble: null, spent: { jobs, credits: 0, usd: jobs / 100 } };
  });
}

const services = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 30 }),
  kind: fc.constantFrom("slots", "limited", "shared"),
  slots: fc.integer({ min: 6, max: 60 }),
  runSeconds: fc.double({ min: 0.2, max: 1, noNaN: true }),
  admitted: fc.integer({ min: 10, max: 150 }),
  variation: fc.double({ min: 0, max: 0.3, noNaN: true }),
});

const EXPECTED = { slots: "queue", limited: "limiter", shared: "workers" } as const;

describe("a search", () => {
  it("tells its cost in credits where the service charges them", async () => {
    const spent = { jobs: 23, credits: 46.846, usd: 0 };
    const text = renderCapacity({ ...(await search({})), spent }, { width: 80 });
    expect(text).toContain("submitted 23 jobs, 46.846 credits in ");
  });

  it("finds the capacity of any simulated service within 5 %, and what gives way", async () => {
    await fc.assert(
      fc.asyncProperty(services, async ({ seed, ...service }) => {
        const result = await search(service, {}, seed);
        const truth = capacityOf({ ...SLOTS, ...service });
        const found = result.estimate?.perSecond ?? 0;
        expect(Math.abs(found / truth - 1), `${found} of ${truth}`).toBeLessThan(0.05);
        expect(result.bottleneck?.bottleneck).toBe(EXPECTED[service.kind]);
        expect(result.steps.length).toBeLessThan(25);
        expect(result.exitCode).toBe(0);
        capacitySchema.parse(result);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("is not led astray by jobs that fail at any rate, but fewer than allowed", async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { estimate, bottleneck, steps } = await search({ failing: 0.006 }, {}, seed * 7_919);
      expect(Math.abs((estimate?.perSecond ?? 0) / 40 - 1)).toBeLessThan(0.05);
      expect(bottleneck?.bottleneck).toBe("queue");
      expect(steps.length).toBeLessThan(25);
    }
  });

  it("has no edge where too many jobs fail at any rate, and soon says so", async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const result = await search({ failing: 0.04 }, {}, seed * 7_919);
      expect(result).toMatchObject({ outcome: "below", exitCode: 99, estimate: null });
      expect(result.bottleneck?.bottleneck).toBe("errors");
      expect(result.steps.length).toBeLessThan(25);
    }
  });

  it("finds the rate from which on jobs fail, though a few do at any rate", async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const random = seededRandom(seed * 7_919);
      const { estimate, bottleneck } = await findCapacity(searchOptions(), async (_, order) => {
        const failing = 0.005 + Math.max(0, 1 - 45 / order.ratePerSecond);
        const measurement = simulateStep({ ...SLOTS, slots: 1_000, failing }, order, random);
        return { measurement, trouble: null, spent: { jobs: 1, credits: 0, usd: 0 } };
      });
      expect(Math.abs((estimate?.perSecond ?? 0) / 45 - 1)).toBeLessThan(0.05);
      expect(bottleneck?.bottleneck).toBe("errors");
    }
  });

  it("makes steps again in which this machine was too busy", async () => {
    let withdrawn = 0;
    for (let seed = 1; seed <= 30; seed += 1) {
      const { steps, estimate } = await search({ busyShare: 0.2 }, {}, seed * 7_919);
      withdrawn += steps.filter(({ outcome }) => outcome === "withdrawn").length;
      expect(estimate?.perSecond).toBeGreaterThan(38);
      expect(estimate?.perSecond).toBeLessThan(42);
    }
    expect(withdrawn).toBeGreaterThan(10);
  });

  it("has no verdict where the generator can't be relied on", async () => {
    const { outcome, bottleneck, bound, exitCode } = await search({ busyShare: 1 });
    expect({ outcome, bound, exitCode }).toEqual({
      outcome: "none",
      bound: "generator",
      exitCode: 111,
    });
    expect(bottleneck?.bottleneck).toBe("generator");
  });

  it("stops at --max-rate, and says so", async () => {
    const result = await search({}, { maxRate: 30 });
    expect(result).toMatchObject({ outcome: "at-least", bound: "max-rate", exitCode: 0 });
    expect(Math.max(...result.steps.map(({ ratePerSecond }) => ratePerSecond ?? 0))).toBe(30);
    expect(result.summary).toContain("at least 30 jobs a second");
  });

  it("keeps within the plans of the keys, unless it is told to go beyond", async () => {
    const keys = searchOptions().keys.map((key) => ({ ...key, sustained: 10, burst: 20 }));
    const result = await search({}, { keys, beyondPlan: false });
    const most = Math.max(...result.steps.map(({ ratePerSecond }) => ratePerSecond ?? 0));
    expect(result).toMatchObject({ outcome: "at-least", bound: "plan", exitCode: 0 });
    expect(most).toBeLessThan(10);
    const beyond = await search({}, { keys });
    expect(beyond.outcome).toBe("found");
  });

  it("stays within its budget of jobs, and has no verdict then", async () => {
    const budget = { jobs: 100, credits: null, usd: null };
    const result = await search({}, { budget });
    expect(result).toMatchObject({ outcome: "at-least", bound: "budget", exitCode: 111 });
    expect(result.spent.jobs).toBeLessThanOrEqual(100);
    const { summary } = await search({}, { budget: { ...budget, jobs: 900 } });
    // What is not known yet is no less uncertain than the interval.
    expect(summary).toMatch(
      /^no verdict: 40 to 80 jobs a second \(\d.* with 95 % confidence\); then/,
    );
  });

  it("stays within its budget in USD, by what jobs have cost so far", async () => {
    const budget = { jobs: null, credits: null, usd: 2 };
    const result = await search({}, { budget });
    expect(result.bound).toBe("budget");
    expect(result.spent.usd).toBeLessThanOrEqual(2);
  });

  it("starts no step that its time has no room for", async () => {
    const result = await search({}, { timeMs: 6_000 });
    expect(result).toMatchObject({ outcome: "none", bound: "time", exitCode: 111, steps: [] });
  });

  it("names errors where even the lowest rate has them", async () => {
    const result = await search({ failing: 0.2 });
    expect(result).toMatchObject({ outcome: "below", exitCode: 99 });
    expect(result.bottleneck?.bottleneck).toBe("errors");
  });

  it("counts an objective of latency that is not kept", async () => {
    const slo = { kind: "quantile", figure: "latency", q: 0.95, text: "p95<300ms" } as const;
    const result = await search({}, { objectives: [{ ...slo, belowMs: 300 }] });
    expect(result).toMatchObject({ outcome: "below", exitCode: 99 });
    expect(result.steps[0]?.failures[0]?.text).toContain("p95<300ms was not kept");
  });

  it("names what gives way where the first steps were far too much already", async () => {
    const { steps, bottleneck } = await search({}, { startRate: 200 });
    expect(steps[0]?.outcome).toBe("fail");
    expect(steps[0]?.failures[0]).toMatchObject({
      bottleneck: "queue",
      text: expect.stringContaining("queue wait grew from 50 ms"),
    });
    expect(bottleneck?.bottleneck).toBe("queue");
  });

  it("makes steps long enough for jobs that it has only seen under pressure", async () => {
    const { outcome, estimate } = await search({ slots: 8, runSeconds: 4 }, { startRate: 20 });
    expect(outcome).toBe("found");
    expect(Math.abs((estimate?.perSecond ?? 0) / 2 - 1)).toBeLessThan(0.05);
  });

  it("ends at once where the service does not tell what an objective is about", async () => {
    const slo = { kind: "quantile", figure: "queue", q: 0.95, text: "queue-p95<1s" } as const;
    const options = searchOptions({ objectives: [{ ...slo, belowMs: 1_000 }] });
    const random = seededRandom(1);
    const result = await findCapacity(options, (_, order) => {
      const measurement = { ...simulateStep(SLOTS, order, random), queueWaitMs: null };
      return Promise.resolve({
        measurement,
        trouble: null,
        spent: { jobs: 1, credits: 0, usd: 0 },
      });
    });
    expect(result).toMatchObject({ outcome: "none", bound: null, exitCode: 111 });
    expect(result.steps).toHaveLength(1);
    expect(result.summary).toBe(
      "no verdict: queue-p95<1s can't be judged: the service tells no queue wait",
    );
  });

  it("ends where the account has no credits left, and says that", async () => {
    const random = seededRandom(1);
    const why = "20 submissions in a row got 402, Payment Required: no more are sent";
    const result = await findCapacity(searchOptions(), async (_, order) => {
      const isOver = order.ratePerSecond > 5;
      const measurement = simulateStep(SLOTS, order, random);
      const stopped = isOver ? BUDGET_ENDED : null;
      const spent = { jobs: 1, credits: 0, usd: 0 };
      const notes = isOver ? [why] : [];
      return { measurement: { ...measurement, stopped }, trouble: null, spent, notes };
    });
    expect(result).toMatchObject({ outcome: "at-least", bound: "budget", exitCode: 111 });
    expect(result.summary).toMatch(/; then the budget, or the account, had no room for more$/);
    expect(result.notes).toEqual([why]);
  });

  it("tells what its steps note in other figures once, and of each key", async () => {
    const random = seededRandom(1);
    let step = 0;
    const result = await findCapacity(searchOptions(), async (_, order) => {
      step += 1;
      const notes = [`jobs that stood in the queue: ${step}`, `key pro-${step % 2} was revoked`];
      const spent = { jobs: 1, credits: 0, usd: 0 };
      return { measurement: simulateStep(SLOTS, order, random), trouble: null, spent, notes };
    });
    expect(step).toBeGreaterThan(2);
    expect(result.notes.slice(0, 3)).toEqual([
      "jobs that stood in the queue: 1",
      "key pro-1 was revoked",
      "key pro-0 was revoked",
    ]);
    expect(result.notes.filter((note) => note.includes("queue"))).toHaveLength(1);
  });

  it("that is interrupted tells what it has found so far", async () => {
    const controller = new AbortController();
    const options = { signal: controller.signal };
    const onEvent = (event: { type: string }) => {
      if (event.type === "step-ended") controller.abort();
    };
    const result = await search({}, { ...options, onEvent });
    expect(result).toMatchObject({ interrupted: true, exitCode: 105 });
    expect(result.steps).toHaveLength(1);
    expect(result.summary).toBe("at least 5 jobs a second; then it was interrupted");
  });

  it("waits for lost jobs no longer than its time lasts, but for what jobs need", () => {
    const order = { ...orderOf(searchOptions(), "confirm", 40, null), drainMsMax: 120_000 };
    const left = (ms: number) => drainWithin(order, order.durationMs + ms, null).drainMsMax;
    expect([600_000, 30_000, 0].map(left)).toEqual([120_000, 30_000, 20_000]);
  });
});
