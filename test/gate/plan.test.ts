/** What is run, in which order, with how much to spend. */

import { describe, expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS, promiseEntry } from "../../contract/promises.ts";
import type { Step } from "../../gate/plan.ts";
import { planGate } from "../../gate/plan.ts";
import { NODE_WITNESSES } from "../../gate/witnesses/index.ts";
import { BASE_TARGET, free, pro } from "./base-target.ts";

/** Promises of the groups that k6 can witness. */
const promisesOf = (...groups: string[]) =>
  PROMISE_IDS.filter((id) => {
    const seenByK6 = promiseEntry(id).witnesses.includes("k6");
    return seenByK6 && groups.some((group) => id.startsWith(`${group}.`));
  });

const SCENARIOS = [
  { name: "contract", script: "/c.ts", promises: promisesOf("auth", "workers", "submit", "job") },
  { name: "rate-limit", script: "/r.ts", promises: promisesOf("rate") },
];

function planOf(changes: Partial<Parameters<typeof planGate>[0]> = {}) {
  return planGate({
    target: BASE_TARGET,
    profile: "quick",
    only: null,
    seed: 7,
    scenarios: SCENARIOS,
    receiver: { access: null, missing: "no receiver in this test" },
    witnesses: NODE_WITNESSES,
    ...changes,
  });
}

const nameOf = (step: Step) => (step.kind === "k6" ? step.scenario.name : step.witness.name);
const namesOf = (plan: ReturnType<typeof planGate>) => plan.lanes.map((lane) => lane.map(nameOf));

describe("planGate", () => {
  it("measures limits beside the careful runs where keys suffice", () => {
    expect(namesOf(planOf())).toEqual([
      ["header-case", "detail-schema", "contract"],
      ["rate-limit"],
    ]);
  });

  it("measures limits last where the caller's key is measured too", () => {
    const target = { ...BASE_TARGET, keys: [free("only")] };
    expect(namesOf(planOf({ target }))).toEqual([
      ["header-case", "detail-schema", "contract", "rate-limit"],
    ]);
  });

  it.each<[PromiseId[], string[][]]>([
    [["auth.header-case"], [["header-case"]]],
    [["rate.burst"], [["rate-limit"]]],
    [["workers.detail-shape"], [["detail-schema", "contract"]]],
    [["load.errors"], []],
  ])("runs only what %j needs", (only, names) => {
    expect(namesOf(planOf({ only }))).toEqual(names);
  });

  it("gives each scenario the promises asked for, the seed and the roles", () => {
    const step = planOf({ only: ["rate.burst"] }).lanes[0]?.[0];
    expect(step).toMatchObject({
      kind: "k6",
      plan: { seed: 7, promises: ["rate.burst"], roles: { caller: "caller" } },
    });
  });

  it("lets a target without a budget have 50 jobs in all", () => {
    const plan = planOf();
    expect(plan.ceiling).toEqual({ jobs: 50, credits: null, usd: null });
    expect(plan.planned.jobs).toBeGreaterThan(45);
    expect(plan.planned.jobs).toBeLessThanOrEqual(50);
  });

  it("shares a budget by what the scenarios submit, and never exceeds it", () => {
    const budget = { jobs: 30, credits: 6, usd: 1 };
    const plan = planOf({ target: { ...BASE_TARGET, budget } });
    const shares = plan.lanes
      .flat()
      .flatMap((step) => (step.kind === "k6" ? [step.plan.budget] : []));
    expect(shares).toHaveLength(2);
    expect(shares[0]?.jobs).toBeGreaterThan(shares[1]?.jobs ?? 0);
    expect(plan.planned.jobs).toBeLessThanOrEqual(30);
    expect(plan.planned.credits).toBeCloseTo(6);
  });

  it("gives all of the budget to the only scenario that needs some", () => {
    const plan = planOf({ only: ["rate.rejected-not-run"] });
    expect(plan.planned.jobs).toBe(50);
  });

  it("sets the embedded service no ceiling", () => {
    const plan = planOf({ target: { ...BASE_TARGET, embedded: true } });
    expect(plan.ceiling).toBeNull();
    expect(plan.planned).toEqual({ jobs: null, credits: null, usd: null });
  });

  it("limits the time of every scenario", () => {
    const steps = planOf({ target: { ...BASE_TARGET, keys: [pro("a")] } }).lanes.flat();
    const limits = steps.flatMap((step) => (step.kind === "k6" ? [step.timeLimitMs] : []));
    expect(limits.every((limit) => limit > 60_000 && limit < 3_600_000)).toBe(true);
  });
});
