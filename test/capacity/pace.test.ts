/** Services that work faster and slower in turns, and limiters that let a burst pass first. */

import { describe, expect, it } from "vitest";
import { admissionIn, livesOnBurst } from "../../capacity/admission.ts";
import { courseOf } from "../../capacity/course.ts";
import { findCapacity } from "../../capacity/find-capacity.ts";
import { standstillDoubt } from "../../capacity/standstill.ts";
import { orderOf } from "../../capacity/step-plan.ts";
import { slowWhile, tooLongTurns } from "../../capacity/uneven.ts";
import type { StepMeasurement } from "../../contract/run/capacity-step.ts";
import type { CapacityStep } from "../../report/capacity-model.ts";
import { seededRandom } from "../../scenarios/world/random.ts";
import { searchOptions } from "./options.ts";
import { slows, varied } from "./simulated/services.ts";
import { SimulatedWorld } from "./simulated/world.ts";
import { simulateStep } from "./simulated-service.ts";

/** 10 jobs a second; in so many intervals in half a second each they grow by that. */
function step(growth: readonly number[], seconds = growth.length / 2): CapacityStep {
  let backlog = 100;
  const points = growth.map((jobs, n) => {
    backlog += jobs;
    return { atSeconds: n / 2, offeredPerSecond: 10, completedPerSecond: 10 - jobs * 2, backlog };
  });
  const runMs = { count: 9, p50: 400, p90: 450, p95: 480, p99: 490, max: 500 };
  const more = { seconds, ratePerSecond: 10, stopped: null, runMs, phase: "confirm" };
  return { ...more, points } as unknown as CapacityStep;
}

const turns = (seconds: number, period: number, slow: number) =>
  Array.from({ length: seconds * 2 }, (_, n) => {
    return ((n / 2) % period < slow ? 2 : -3) + (n % 3) - 1;
  });

describe("turns", () => {
  it("are told from chance, with when they come again where a step shows two", () => {
    expect(courseOf(step(turns(60, 20, 12))).turns?.periodSeconds).toBeCloseTo(20, -1);
    expect(courseOf(step(turns(18, 20, 12))).turns).toMatchObject({ periodSeconds: null });
    const random = seededRandom(7_919);
    const chance = Array.from({ length: 120 }, () => Math.round(6 * random.next() - 3));
    expect(courseOf(step(chance)).turns).toBeNull();
    expect(courseOf(step(turns(3, 2, 1))).turns).toBeNull();
  });

  it("that outlast the steps leave no verdict", () => {
    const long = step(turns(18, 40, 10));
    expect(tooLongTurns([long])).toBeNull();
    expect(tooLongTurns([long, long])).toMatch(/^jobs ended faster and slower in turns, for /);
    expect(tooLongTurns([step(turns(90, 8, 4)), step(turns(90, 8, 4))])).toBeNull();
  });

  it("are why a step says nothing, also where nothing ended at its beginning", () => {
    const { points, ...turned } = step(turns(18, 20, 12));
    const begun = points.map((point, at) => (at < 3 ? { ...point, completedPerSecond: 0 } : point));
    const latencyMs = { count: 9, p50: 400, p90: 450, p95: 480, p99: 490, max: 500 };
    const failures = [{ bottleneck: "queue", text: "" }] as const;
    const more = { points: begun, latencyMs, failures: [...failures], measuredSeconds: 12 };
    const failed = { ...turned, ...more, outcome: "withdrawn" } as CapacityStep;
    const doubt = standstillDoubt(failed, { standstillMs: 4_000, isSought: true });
    expect(doubt).toMatch(/^jobs ended faster and slower in turns/);
  });

  it.each([
    [8, 0.4, 20, 12, 0.3, 3],
    [8, 0.4, 12, 6, 0.5, 5],
    [20, 0.5, 20, 12, 0.3, 14],
  ])(
    "of %i slots are learnt, and steps are whole periods of them",
    async (slots, work, period, slow, share, from) => {
      const speed = slows(period, slow, share, from);
      const service = { slots: () => slots, work: varied(work), speed };
      const world = new SimulatedWorld(service, seededRandom(7_919));
      const { estimate, outcome, notes } = await findCapacity(
        searchOptions({ maxRate: 200 }),
        async (_, order) => {
          const measurement = world.step(order);
          return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
        },
      );
      const truth = ((slots / work) * (slow * share + period - slow)) / period;
      expect(outcome).toBe("found");
      expect(notes.join()).toMatch(
        /jobs ended faster and slower in turns, every \d+(\.\d)? s, at rates/,
      );
      expect(notes.join()).not.toContain("grew meanwhile");
      expect(estimate?.low).toBeLessThan(truth);
      expect(estimate?.high).toBeGreaterThan(truth);
      expect(Math.abs((estimate?.perSecond ?? 0) / truth - 1)).toBeLessThan(0.06);
    },
  );
});

describe("slow phases that outlast steps", () => {
  const searchFor = (from: number) => {
    const speed = slows(120, 30, 0.2, from);
    const service = { slots: () => 8, work: varied(0.4), speed };
    const world = new SimulatedWorld(service, seededRandom(7_919));
    return findCapacity(searchOptions({ maxRate: 40 }), async (_, order) => {
      const measurement = world.step(order);
      return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
    });
  };

  it.each([0, 40, 80])("leave no verdict, begun %i s before", async (from) => {
    const { exitCode, estimate, summary } = await searchFor(from);
    expect([exitCode, estimate]).toEqual([111, null]);
    expect(summary).toMatch(from === 0 ? /: \d+ jobs ended within/ : /at other times: the service/);
    expect(summary).toMatch(
      /slower for a while; plan with \d[\d.]* a second, or try --step \d+m --time/,
    );
  });

  it("may wait in steps of four minutes, which last as long as asked for", () => {
    const times = { count: 99, p50: 500, p90: 600, p95: 600, p99: 600, max: 600 };
    const base = { latencyMs: times, runMs: times, outcome: "pass" } as CapacityStep;
    const of = (stepMs: number) => orderOf(searchOptions({ stepMs }), "confirm", 20, base);
    const [usual, long] = [of(9_000), of(240_000)];
    expect(usual).toMatchObject({ durationMs: 15_000, backlogMax: 78, latencyCeilingMs: 6_000 });
    expect(long.durationMs).toBe(240_000);
    expect([long.backlogMax ?? 0, long.latencyCeilingMs ?? 0].map((n) => n > 800)).toEqual([
      true,
      true,
    ]);
  });

  const at = (rate: number, perSecond: number) => ({
    ratePerSecond: rate,
    achievedPerSecond: perSecond,
    measuredSeconds: 12,
    startedAtMs: 0,
    seconds: 18,
    failures: perSecond < rate ? [{ bottleneck: "queue", text: "" }] : [],
    outcome: perSecond < rate ? "fail" : "pass",
    generator: { hostLagMs: 0 },
    runMs: null,
  });

  it("are no overload that costs throughput, and no service that grows", () => {
    const told = (...steps: ReturnType<typeof at>[]) => slowWhile(steps as CapacityStep[], 0);
    expect(told(at(40, 40), at(42, 20), at(40, 40))).toBeNull();
    expect(told(at(20, 10), at(20, 20), at(40, 40))).toBeNull();
    expect(told(at(40, 40), at(40, 20), at(20, 10))).toBeNull();
    expect(told(at(40, 40), at(40, 20), at(40, 40))).toMatch(/^20 were completed at 40 a second/);
    expect(told(at(42, 40), at(42, 20), at(38, 38))).toMatch(/^20 were completed at 42 a second/);
  });

  it("are planned for by the slowest of them, whatever was offered", () => {
    const told = slowWhile([at(30, 30), at(30, 8), at(10, 5), at(30, 30)] as CapacityStep[], 0);
    expect(told).toMatch(/^5 were completed at 10 a second .*, 30 at .*; plan with 5 a second/);
  });
});

describe("a limiter's burst", () => {
  /** 20 a second for 15 s; 14 a second are admitted, and so many more at first. */
  const overload = (burst: number, answered429?: number) => {
    let left = burst;
    const series = Array.from({ length: 30 }, () => {
      const accepted = Math.min(10, 7 + left);
      left -= accepted - 7;
      return { offered: 10, accepted, ended: 0, completed: 0 };
    });
    const measured = {
      sent: 200,
      refused429: 60,
      ...(answered429 === undefined ? {} : { answered429 }),
    };
    return { series, stretchSeconds: 0.5, seconds: 15, measured, errors: 0 } as unknown;
  };
  const order = { of: "jobs", ratePerSecond: 14.4 } as Parameters<typeof livesOnBurst>[0];

  it("is told apart from what is admitted for good", () => {
    const admission = admissionIn(overload(15) as StepMeasurement);
    expect((admission?.accepted ?? 0) / (admission?.seconds ?? 1)).toBe(14);
    expect(admission?.burst).toBe(15);
    expect(admissionIn(overload(15, 4) as StepMeasurement)).toBeNull();
  });

  it("carries no step that is too short to use it up", () => {
    const admission = admissionIn(overload(15) as StepMeasurement);
    if (admission === null) throw new Error("nothing was told");
    expect(livesOnBurst(order, 21, [admission])).toMatch(/^14 a second are admitted once a burst/);
    expect(livesOnBurst({ ...order, ratePerSecond: 14.1 }, 21, [admission])).toBeNull();
    expect(livesOnBurst(order, 60, [admission])).toBeNull();
    expect(livesOnBurst(order, 21, [])).toBeNull();
  });

  it("is not told by a step in which the generator was late", async () => {
    const random = seededRandom(7_919);
    const limited = { kind: "limited", slots: 1, runSeconds: 0.5, admitted: 40 } as const;
    const service = { ...limited, variation: 0.1, busyShare: 0, failing: 0 };
    let isLate = true;
    const { outcome, notes, steps } = await findCapacity(
      searchOptions({ startRate: 30, maxRate: 30 }),
      async (_, order) => {
        const measurement = simulateStep(service, order, random);
        if (isLate) {
          measurement.generator.lagP99Ms = 900;
          Object.assign(measurement.measured, { sent: 90, refused429: 3 });
          measurement.series.forEach((each, at) => {
            Object.assign(each, { offered: at === 0 ? 30 : 14, accepted: at === 0 ? 27 : 14 });
          });
        }
        isLate = false;
        return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
      },
    );
    expect([outcome, steps[0]?.outcome, notes]).toEqual(["at-least", "withdrawn", []]);
  });
});
