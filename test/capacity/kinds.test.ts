/** Searches of services of many kinds, each with its memory: the edge, and honest words. */

import { describe, expect, it } from "vitest";
import { evenErrors } from "../../capacity/error-share.ts";
import { findCapacity } from "../../capacity/find-capacity.ts";
import type { CapacityOptions } from "../../capacity/options.ts";
import { remarksOf } from "../../capacity/remarks.ts";
import type { CapacityResult, Failure } from "../../report/capacity-model.ts";
import { seededRandom } from "../../scenarios/world/random.ts";
import { searchOptions } from "./options.ts";
import { bucket, each, slows } from "./simulated/services.ts";
import type { Service } from "./simulated/world.ts";
import { SimulatedWorld } from "./simulated/world.ts";

/** 20 slots, half a second a job: 40 a second. */
const SLOTS: Service = { slots: () => 20, work: () => 0.5 };

/** Seconds between the starts of so many jobs. */
const BATCHES = [
  [0.525, 7],
  [0.67, 11],
  [0.885, 13],
  [1.675, 32],
  [1.94, 39],
  [6, 60],
] as const;
/** Of so many seconds, so many stand still, as while memory is cleaned up. */
const STOPS = [
  [3.2, 0.8],
  [5.6, 1.9],
  [7, 2],
  [7.9, 1.5],
  [20, 4],
  [20, 8],
] as const;

/** Searches it, in no time at all. */
function search(
  service: Partial<Service>,
  options: Partial<CapacityOptions> = {},
): Promise<CapacityResult> {
  const world = new SimulatedWorld({ ...SLOTS, ...service }, seededRandom(7_919));
  return findCapacity(searchOptions({ maxRate: 200, ...options }), async (_, order) => {
    const measurement = world.step(order);
    const spent = { jobs: measurement.sent, credits: 0, usd: 0 };
    return { measurement, trouble: null, spent };
  });
}

function deviation({ estimate }: CapacityResult, truth: number): number {
  return Math.abs((estimate?.perSecond ?? 0) / truth - 1);
}

describe("a search", () => {
  it.each<[string, Partial<Service>, number]>([
    ["jobs that start in batches, each 2 s", { slots: () => 80, dispatches: each(2) }, 40],
    [
      "batches of long jobs",
      { slots: () => 65, work: () => 2.16, dispatches: each(2.7) },
      65 / 2.7,
    ],
    ["ends that are seen 2 s late, without times", { lagSeconds: 2, hidesTimes: true }, 40],
  ])("makes longer steps where short ones are unsteady: %s", async (_, service, truth) => {
    const result = await search(service);
    expect(result.outcome).toBe("found");
    expect(deviation(result, truth)).toBeLessThan(0.06);
    const seconds = result.steps.map((step) => step.seconds);
    expect(Math.max(...seconds)).toBeGreaterThan(9);
    expect(Math.max(...seconds)).toBeLessThan(36.1);
  });

  it.each<[string, Partial<Service>, number]>([
    ...BATCHES.map(([seconds, jobs]): [string, Partial<Service>, number] => {
      const batch = { slots: () => jobs, work: () => seconds * 0.8, dispatches: each(seconds) };
      return [`${jobs} jobs each ${seconds} s`, batch, jobs / seconds];
    }),
    ...STOPS.map(([every, stopped]): [string, Partial<Service>, number] => {
      const service = { speed: slows(every, stopped, 0) };
      return [`${stopped} s of ${every} stand still`, service, 40 * (1 - stopped / every)];
    }),
  ])(
    "holds the capacity in its interval though the backlog jumps: %s",
    async (_, service, truth) => {
      const { estimate } = await search(service);
      expect(estimate?.low).toBeLessThan(truth);
      expect(estimate?.high).toBeGreaterThan(truth);
      expect(estimate?.perSecond).toBeLessThan(truth * 1.06);
    },
  );

  it("counts what failed in a short step beyond the edge, where it is cut short", async () => {
    const { estimate, steps } = await search(
      {},
      { budget: { jobs: 2_800, credits: null, usd: null } },
    );
    expect(
      steps
        .map(({ outcome }) => outcome)
        .slice(0, 6)
        .join(" "),
    ).toBe("pass pass pass pass fail fail");
    expect(estimate?.high).toBeLessThan(50);
  });

  it("finds the capacity for jobs of a minute, where it is given the time", async () => {
    const result = await search({ slots: () => 100, work: () => 60 });
    expect(result).toMatchObject({ outcome: "found", exitCode: 0 });
    expect(result.steps[0]).toMatchObject({ outcome: "withdrawn" });
    expect(deviation(result, 100 / 60)).toBeLessThan(0.05);
  });

  it.each<[string, Partial<Service>, number]>([
    ["jobs that take longer than it", { slots: () => 120, work: () => 6 }, 20],
    ["few jobs that take longer than it", { slots: () => 12, work: () => 6 }, 2],
    ["a service that starts", { slots: ({ now }) => (now < 11 ? 0 : 20) }, 40],
  ])("takes no first step for too much because of %s", async (_name, service, truth) => {
    const result = await search(service, { startRate: Math.min(5, truth / 2) });
    expect(result.steps[0]?.generator.doubt).toMatch(
      /^no job ended for 4.5 s of the 4.5 s of this/,
    );
    expect(result.steps.length).toBeLessThan(14);
    expect(deviation(result, truth)).toBeLessThan(0.05);
  });

  it.each<[string, Partial<Service>, number]>([
    ["batches each 3 s", { slots: () => 40, dispatches: each(3, 0.5) }, 40 / 3],
    ["batches each 6 s", { slots: () => 60, dispatches: each(6, 4) }, 10],
    ["stops of 2 s in 7", { slots: () => 8, work: () => 0.4, speed: slows(7, 2, 0, 4.7) }, 100 / 7],
  ])(
    "takes no growth within a period of the service for overload: %s",
    async (_, service, truth) => {
      const { estimate, notes, outcome } = await search(service);
      expect(outcome).toBe("found");
      expect(estimate?.low).toBeLessThan(truth);
      expect(estimate?.high).toBeGreaterThan(truth);
      expect((estimate?.high ?? 9) / (estimate?.low ?? 1)).toBeLessThan(1.15);
      expect(Math.abs((estimate?.perSecond ?? 0) / truth - 1)).toBeLessThan(0.05);
      expect(notes.join()).not.toContain("grew meanwhile");
    },
  );

  it("does not take a stop of the service for the most jobs it bears", async () => {
    const { estimate } = await search({
      slots: () => 8,
      work: () => 0.4,
      speed: slows(20, 4, 0, 10),
    });
    expect(estimate?.high).toBeGreaterThan(16);
  });

  it("tells of rates that are kept though jobs take much longer", async () => {
    const speed: Service["speed"] = ({ running }) => (running.length > 15 ? 0.4 : 1);
    const { notes } = await search({ slots: () => 1_000, speed }, { maxRate: 80 });
    expect(notes).toEqual([
      expect.stringMatching(/^jobs took 13\d\d ms at 40 a second, and 55\d ms at 5 a second/),
    ]);
  });

  it("tells of no peak that the queue never lets it reach", async () => {
    const speed: Service["speed"] = ({ running }) => 1 / (1 + 0.0005 * running.length ** 2);
    const queued = await search({ speed });
    expect(queued.bottleneck?.bottleneck).toBe("queue");
    expect(queued.scalability).toMatchObject({ peak: null });
    expect(queued.scalability?.kappa).toBeGreaterThan(0);
    const { scalability, estimate } = await search({ slots: () => 1_000, speed });
    expect(scalability?.peak?.perSecond).toBeLessThan((estimate?.high ?? 0) * 1.1);
  });

  it("tells of rare jobs that outlast its steps", async () => {
    const work: Service["work"] = ({ random }) => (random.next() < 0.01 ? 20 : 0.2);
    const { notes } = await search({ slots: () => 8, work }, { maxRate: 60 });
    const note = /^a few jobs ran up to 20 s, steps 9 s: .* may be overstated/;
    expect(notes).toContainEqual(expect.stringMatching(note));
  });

  it("waits for the few jobs that take half a minute", async () => {
    const work: Service["work"] = ({ random }) => (random.next() < 0.1 ? 27.5 : 2.5);
    const result = await search({ slots: () => 37, work });
    expect(result.outcome).toBe("found");
    expect(deviation(result, 37 / 5)).toBeLessThan(0.1);
  });

  it("fails rates at which jobs are lost, and waits long for them once", async () => {
    const work: Service["work"] = ({ random }) => (random.next() < 0.05 ? 1e6 : 0.5);
    const { outcome, steps } = await search({ slots: () => 100_000, work });
    expect(outcome).toBe("below");
    expect(steps.filter((step) => step.outcome === "withdrawn")).toHaveLength(1);
  });

  it("waits for webhooks that come late before it calls jobs stuck", async () => {
    const result = await search({ lagSeconds: 5 });
    expect(result.outcome).toBe("found");
    expect(deviation(result, 40)).toBeLessThan(0.05);
    expect(result.bottleneck?.bottleneck).toBe("queue");
  });

  it("tells of 429s that the declared plans don't explain", async () => {
    const refuses: Service["refuses"] = ({ running, queue }) => {
      return running.length + queue.length >= 22 ? 429 : null;
    };
    const result = await search({ slots: () => 1_000, refuses });
    expect(deviation(result, 40)).toBeLessThan(0.05);
    expect(result.summary).toMatch(/; 429 responses come first$/);
    expect(result.notes.join()).toContain("though the declared plans allow 300 a second");
    expect((await search({})).notes).toEqual([]);
  });

  it("names a queue that gives way a little before a limiter does", async () => {
    const result = await search({ slots: () => 24, ...bucket(50, 1.5) });
    expect(deviation(result, 48)).toBeLessThan(0.05);
    expect(result.bottleneck?.bottleneck).toBe("queue");
  });

  it("does not tell so of 429s above the plans, though a lower rate failed, too", async () => {
    const [step] = (await search({})).steps;
    if (step === undefined) throw new Error("no step was made");
    const failed = (ratePerSecond: number, bottleneck: Failure["bottleneck"]) => {
      return { ...step, ratePerSecond, failures: [{ bottleneck, text: "" }] };
    };
    const notesWith = (rate: number, keys = searchOptions().keys) => {
      const steps = [failed(20, "unknown"), failed(rate, "limiter")];
      const bottleneck = { bottleneck: "limiter", text: "" } as const;
      return remarksOf(searchOptions({ keys }), {
        steps,
        high: 20,
        bottleneck,
        crowdings: [],
        whose: null,
      });
    };
    expect(notesWith(400)).toEqual([]);
    expect(notesWith(40)).toEqual([expect.not.stringContaining("share")]);
    const two = [...searchOptions().keys, ...searchOptions().keys];
    expect(notesWith(40, two)).toEqual([expect.stringContaining("a limit that the keys share")]);
  });

  it("tells of errors that the load may not cause", async () => {
    const { notes } = await search({ fails: ({ random }) => random.next() < 0.02 });
    expect(notes.join()).toContain("errors did not clearly rise with the rate");
    const often = await search({ fails: ({ random }) => random.next() < 0.022 });
    expect(often.notes).toHaveLength(1);
    expect(often.notes[0]).toContain("errors did not clearly rise with the rate");
    const refuses: Service["refuses"] = ({ queue }) => (queue.length >= 2 ? 503 : null);
    const rising = await search({ refuses });
    expect(rising.bottleneck?.bottleneck).toBe("errors");
    expect(rising.notes).toEqual([]);
  });

  it("does not doubt errors that begin just above a rate that had none", async () => {
    const [step] = (await search({})).steps;
    if (step === undefined) throw new Error("no step was made");
    const at = (ratePerSecond: number, seconds: number, errors: number) => {
      return { ...step, ratePerSecond, seconds, errors };
    };
    const [few, above] = [at(10, 6.6, 0), at(15.6, 62.4, 39)];
    expect(evenErrors([few, at(14.8, 60, 0), above], 15.6)).toBeNull();
    expect(evenErrors([few, at(14.8, 60, 20), above], 15.6)).not.toBeNull();
  });

  it("takes credits that have run out for no limit of the rate, and stops", async () => {
    let left = 150;
    const refuses: Service["refuses"] = () => {
      left -= 1;
      return left < 0 ? 402 : null;
    };
    const { outcome, bound, summary, exitCode, steps, notes } = await search({ refuses });
    expect({ outcome, bound, exitCode }).toEqual({
      outcome: "at-least",
      bound: "budget",
      exitCode: 111,
    });
    expect(summary).toMatch(/^at least 10 jobs a second; then the budget, or the account, had no/);
    expect(steps.map((step) => step.outcome)).toEqual(["pass", "pass", "withdrawn", "withdrawn"]);
    expect(notes.join()).toMatch(/\d+ submissions in a row got 402/);
  });

  it("tells of a service that recovers slowly", async () => {
    let slowUntil = 0;
    const { notes } = await search({
      speed: ({ now, queue }) => {
        if (queue.length > 60) slowUntil = now + 60;
        return now < slowUntil ? 0.5 : 1;
      },
    });
    expect(notes.join()).toMatch(/was not kept after 80, though 40 was before/);
  });

  it.each<[string, Partial<Service>, RegExp]>([
    [
      "is slower when overloaded",
      { speed: ({ queue }) => (queue.length > 40 ? 0.5 : 1) },
      /^at 80 a second only 2\d(\.\d)? were completed, though 40 were kept before: overload costs/,
    ],
    ["grows meanwhile", growing(), /^at 40 a second only 20 were .* were kept later: the/],
  ])("tells that no figure alone describes a service that %s", async (_, service, note) => {
    expect((await search(service)).notes[0]).toMatch(note);
  });

  it("tells how long a step its time had no room for", async () => {
    const { notes } = await search({}, { timeMs: 6_000 });
    expect(notes).toEqual(["--time left no room for 4.5 s at 5 a second"]);
  });

  it("has no verdict where no job is seen to end", async () => {
    const result = await search({ work: () => 600 });
    expect(result).toMatchObject({ outcome: "none", exitCode: 111 });
    expect(result.summary).toMatch(/none of \d+ jobs had ended 120 s after the last submission$/);
    expect(result.steps).toHaveLength(2);
  });

  it("fails a step with no end where an objective asked for one", async () => {
    const slo = { kind: "quantile", figure: "latency", q: 0.95, text: "p95<5s" } as const;
    const objectives = [{ ...slo, belowMs: 5_000 }];
    const { steps } = await search({ work: () => 600 }, { objectives, timeMs: 10_000 });
    expect(steps[0]?.outcome).toBe("fail");
  });

  it("blames no generator for a service that is never steady", async () => {
    const world = new SimulatedWorld(SLOTS, seededRandom(7_919));
    const result = await findCapacity(searchOptions(), async (_, order) => {
      const measured = world.step(order);
      const series = measured.series.map((each, n) => {
        return { ...each, ended: n % 28 < 14 ? each.ended * 0.4 : each.ended * 1.5 };
      });
      const measurement = { ...measured, series };
      return { measurement, trouble: null, spent: { jobs: 0, credits: 0, usd: 0 } };
    });
    expect(result).toMatchObject({ outcome: "none", bound: null, exitCode: 111 });
    expect(result.bottleneck?.bottleneck).not.toBe("generator");
    expect(result.summary).toContain("give or take");
    expect(result.summary).toMatch(/; a longer --step may tell$/);
  });
});

/** Two slots more each 5 s, from the time that jobs have queued for 20 s. */
function growing(): Partial<Service> {
  let [slots, queued] = [10, 0];
  return {
    slots: () => Math.floor(slots),
    tick: ({ queue }, seconds) => {
      if (queue.length > 0) queued += seconds;
      if (queued > 20) slots = Math.min(30, slots + seconds * 0.4);
    },
  };
}
