/** Hours of the probe on virtual time: healthy services of many seeds, budgets, twice the same. */

import { describe, expect, it } from "vitest";
import type { Budget } from "../../../contract/run/run-plan.ts";
import type { Target } from "../../../contract/target.ts";
import { healthyService } from "../../../simulation/healthy-service.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import { SURROUNDINGS, SURROUNDINGS_NAMES } from "../../../simulation/worlds.ts";
import { drawnCases } from "../../drawn-cases.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { HOUR_MS, watchHealthy } from "./healthy-hours.ts";
import { samplesOf } from "./samples.ts";

const SEEDS = SURROUNDINGS_NAMES.map((_, at) => at + 1);

describe("an hour of a healthy service", () => {
  const runs = SEEDS.map((seed) => {
    const world = SURROUNDINGS_NAMES[seed % SURROUNDINGS_NAMES.length] ?? "quiet";
    return { world, seed, hours: 1 };
  });
  it.each(drawnCases("hours", runs, 2))("alerts nobody: $world, seed $seed", async (run) => {
    const { history, problems } = await watchHealthy(run);
    expect(problems).toEqual([]);
    expect(history.runs.length).toBeGreaterThan(100);
  });

  it("is the same to the byte for the same seed, and another for another", async () => {
    const hour = async (seed: number) => {
      const { metrics, log, runs } = await simulateProbe({
        seed,
        surroundings: SURROUNDINGS.storm,
        service: healthyService(seed),
        durationMs: HOUR_MS / 2,
      });
      return { metrics, told: JSON.stringify([log, runs]) };
    };
    const first = await hour(7);
    expect(await hour(7)).toEqual(first);
    expect((await hour(8)).metrics).not.toBe(first.metrics);
  });
});

const NOTHING: Budget = { jobs: null, credits: null, usd: null };

function within(day: Budget): (target: Target) => Target {
  const probe = { ...PROBE_PLAN, rateShare: null, budget: { day, month: null } };
  return (target) => ({ ...target, probe });
}

describe("a budget of a day", () => {
  it.each([
    ["jobs", "A", { ...NOTHING, jobs: 40 }],
    ["credits", "A", { ...NOTHING, credits: 20 }],
    ["usd", "B", { ...NOTHING, usd: 0.2 }],
  ] as const)("in %s is used up and never exceeded", async (unit, variant, day) => {
    const { runs, accepted, log } = await simulateProbe({
      seed: 11,
      service: { variant },
      durationMs: HOUR_MS,
      target: within(day),
    });
    const spent = runs.reduce((sum, run) => sum + run[unit], 0);
    expect(spent).toBeLessThanOrEqual((day[unit] ?? 0) + 1e-9);
    expect(spent).toBeGreaterThan((day[unit] ?? 0) * 0.8);
    expect(accepted).toHaveLength(runs.length);
    const skipped = log.filter(
      ({ event, reason }) => event === "run-skipped" && reason === "budget",
    );
    expect(skipped.length).toBeGreaterThan(0);
  });

  it("begins anew at midnight", async () => {
    const { runs, metrics } = await simulateProbe({
      seed: 12,
      durationMs: 12.2 * HOUR_MS,
      canaries: [],
      target: (target) => ({
        ...within({ ...NOTHING, jobs: 5 })(target),
        canaries: [
          {
            name: "success",
            part: "success",
            everyMs: 60_000,
            jitterShare: null,
            deadlineMs: null,
            webhook: true,
            expect: null,
            overlapMax: null,
          },
        ],
      }),
    });
    expect(runs.map(({ intendedAtMs }) => new Date(intendedAtMs).getUTCDate())).toEqual([
      ...Array(5).fill(1),
      ...Array(5).fill(2),
    ]);
    const left = samplesOf(metrics, /^plumbline_budget_left\{span="day",unit="jobs"/);
    expect(left.map(({ value }) => value)).toEqual([0]);
  });
});
