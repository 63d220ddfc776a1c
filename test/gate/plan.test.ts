/** What is run, in which order, with how much to spend. */

import { describe, expect, it } from "vitest";
import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import { NOTHING_SPENT } from "../../contract/limits/budget.ts";
import type { PromiseId } from "../../contract/promises.ts";
import { PROMISE_IDS, promiseEntry } from "../../contract/promises.ts";
import type { LoadPlan } from "../../contract/run/run-plan.ts";
import { generatorOf, planGate } from "../../gate/plan.ts";
import { NODE_WITNESSES } from "../../gate/witnesses/index.ts";
import { scenarioNamed } from "../../simulation/k6-scenarios.ts";
import { BASE_LOAD } from "../runner/base-plan.ts";
import { BASE_TARGET, free, pro } from "./base-target.ts";

/** Promises of the groups that a scenario can judge. */
const promisesOf = (...groups: string[]) =>
  PROMISE_IDS.filter((id) => {
    const isJudgeable = promiseEntry(id).witnesses.some((witness) => witness !== "node");
    return isJudgeable && groups.some((group) => id.startsWith(`${group}.`));
  });

const SCENARIOS = [
  {
    name: "contract",
    script: "/c.ts",
    promises: promisesOf("auth", "workers", "submit", "job"),
    jobs: 100,
  },
  { name: "timeout", script: "/t.ts", promises: promisesOf("timeout"), jobs: 30 },
  { name: "soak", script: "/s.ts", promises: promisesOf("load"), jobs: 0 },
  { name: "rate-limit", script: "/r.ts", promises: promisesOf("rate"), jobs: 6 },
  { name: "webhook", script: "/w.ts", promises: promisesOf("webhook"), jobs: 40 },
];

function planOf(changes: Partial<Parameters<typeof planGate>[0]> = {}) {
  return planGate({
    target: BASE_TARGET,
    profile: "quick",
    only: null,
    seed: 7,
    scenarios: SCENARIOS,
    receiver: { access: null, missing: "no receiver in this test", reach: "unknown" },
    witnesses: NODE_WITNESSES,
    spent: NOTHING_SPENT,
    cores: 2,
    generator: "k6",
    ...changes,
  });
}

type Planned = ReturnType<typeof planGate>;

/** Each step with those that it waits for. */
const orderOf = ({ steps }: Planned) => steps.map(({ name, after }) => [name, [...after]]);
const afterOf = ({ steps }: Planned, name: string) =>
  steps.find((step) => step.name === name)?.after;
const scenarioSteps = ({ steps }: Planned) => steps.filter((step) => step.kind === "scenario");

/** Keys that let everything but the load go on at once. */
const APART = [
  pro("caller", { account: "one" }),
  pro("limited", { account: "two" }),
  pro("webhook", { account: "three" }),
  pro("timeout", { account: "four" }),
  free("free-a", { account: "two" }),
  free("free-b", { account: "two" }),
];

const RECEIVER: ReceiverAccess = {
  publicUrl: "http://127.0.0.1:9",
  queryUrl: "http://127.0.0.1:9",
  querySecretEnv: "PLUMBLINE_SINK_SECRET",
  refusingUrl: null,
  tokenPrefix: "",
  signature: { header: "X-Signature", scheme: "present" },
};

const LOAD = { ...BASE_LOAD, jobsPerSecond: 10, durationMs: 60_000, mix: { success: 1 } };

describe("what sends the load", () => {
  const sending = (generator: LoadPlan["generator"]) => ({
    ...BASE_TARGET,
    load: generator === undefined ? LOAD : { ...LOAD, generator },
  });

  it.each([
    ["Node for a soak", "soak", undefined, false, "node"],
    ["k6 for a soak whose metrics are sent on", "soak", undefined, true, "k6"],
    ["k6 for any other profile", "standard", undefined, false, "k6"],
    ["what the target asks for", "quick", "node", false, "node"],
    ["what the target asks for, in a soak", "soak", "k6", false, "k6"],
    ["k6 where metrics are sent on, whatever the target asks for", "soak", "node", true, "k6"],
  ] as const)("is %s", (_, profile, asked, sendsMetrics, expected) => {
    const target = sending(asked);
    const generator = generatorOf({ profile, target }, sendsMetrics);
    expect(planOf({ profile, target, generator }).plan.load?.generator).toBe(expected);
  });
});

describe("planGate", () => {
  it("runs all beside each other where keys suffice, but for the load", () => {
    expect(orderOf(planOf({ target: { ...BASE_TARGET, keys: APART } }))).toEqual([
      ["header-case", []],
      ["detail-schema", ["header-case"]],
      ["webhook", []],
      ["contract", ["header-case", "detail-schema"]],
      ["timeout", []],
      ["rate-limit", []],
      ["soak", ["header-case", "detail-schema", "webhook", "contract", "timeout", "rate-limit"]],
      ["files-readable", ["header-case", "detail-schema", "contract", "soak"]],
      [
        "ended-jobs",
        ["header-case", "detail-schema", "contract", "timeout", "soak", "files-readable"],
      ],
    ]);
  });

  it("has one order for targets of any clock", () => {
    const orders = [1, 0.05].map((timeScale) =>
      orderOf(planOf({ target: { ...BASE_TARGET, keys: APART, timeScale } })),
    );
    expect(orders[1]).toEqual(orders[0]);
  });

  it("lets runs follow each other whose keys may belong to one account", () => {
    const plan = planOf();
    expect(afterOf(plan, "contract")).toEqual(["header-case", "detail-schema", "webhook"]);
    expect(afterOf(plan, "rate-limit")).toEqual(["webhook", "contract", "timeout"]);
  });

  it("lets the measuring of limits wait for those who use the same key", () => {
    const plan = planOf({ target: { ...BASE_TARGET, keys: [free("only")] } });
    const all = ["header-case", "detail-schema", "webhook", "contract", "timeout"];
    expect(afterOf(plan, "rate-limit")).toEqual(all);
  });

  it.each<[PromiseId[], string[]]>([
    [["auth.header-case"], ["header-case"]],
    [["rate.burst"], ["rate-limit"]],
    [["workers.detail-shape"], ["detail-schema", "contract"]],
    [["load.errors"], ["soak"]],
    [["job.files-readable"], ["contract", "files-readable"]],
    [["job.never-lost"], ["contract", "ended-jobs"]],
  ])("runs only what %j needs", (only, names) => {
    expect(planOf({ only }).steps.map(({ name }) => name)).toEqual(names);
  });

  it("keeps the load within the time of the profile", () => {
    const target = { ...BASE_TARGET, load: LOAD };
    const durations = (["quick", "standard", "soak"] as const).map((profile) => {
      return planOf({ target, profile }).steps[0]?.plan.load?.durationMs;
    });
    expect(durations).toEqual([15_000, 60_000, 60_000]);
  });

  it("gives each scenario the promises asked for, the seed and the roles", () => {
    const step = planOf({ only: ["rate.burst"] }).steps[0];
    expect(step).toMatchObject({
      kind: "scenario",
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
    const jobs = new Map(
      scenarioSteps(plan).map(({ name, plan: own }) => [name, own.budget.jobs ?? 0]),
    );
    expect(jobs.get("contract")).toBeGreaterThan(jobs.get("rate-limit") ?? 0);
    expect(plan.planned.jobs).toBeLessThanOrEqual(30);
    expect(plan.planned.credits).toBeCloseTo(6);
  });

  it("gives nothing to scenarios that have nothing to submit", () => {
    const budgets = scenarioSteps(planOf()).map(({ name, plan }) => [name, plan.budget.jobs]);
    expect(budgets).toContainEqual(["webhook", 0]);
    expect(budgets).toContainEqual(["timeout", 0]);
    expect(budgets).toContainEqual(["soak", 0]);
  });

  it("gives each scenario what it can use where the budget is large", () => {
    const workers = { ...BASE_TARGET.workers, timeout: { id: "late", input: {} } };
    const budget = { jobs: 1_000, credits: null, usd: null };
    const target = { ...BASE_TARGET, workers, budget, load: LOAD };
    const plan = planOf({ target, receiver: { access: RECEIVER, missing: null, reach: "seen" } });
    const jobs = new Map(
      scenarioSteps(plan).map(({ name, plan: own }) => [name, own.budget.jobs ?? 0]),
    );
    expect(jobs.get("contract")).toBeGreaterThanOrEqual(100);
    expect(jobs.get("timeout")).toBeGreaterThanOrEqual(30);
    expect(jobs.get("webhook")).toBeGreaterThanOrEqual(40);
    expect(jobs.get("soak")).toBeGreaterThanOrEqual(150);
    // With the fresh jobs that may show a queue to be fair.
    expect(plan.jobs.expected).toBe(100 + 30 + 40 + 6 + 150 + 3);
    expect(plan.jobs.most).toBe(2 * plan.jobs.expected);
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

  it.each(["quick", "standard", "soak"] as const)(
    "gives every scenario the time in which it ends by itself, and not for ever: %s",
    (profile) => {
      const target = { ...BASE_TARGET, keys: [pro("a")], load: LOAD };
      const steps = scenarioSteps(planOf({ profile, target }));
      for (const { name, plan, timeLimitMs } of steps) {
        expect(timeLimitMs, name).toBeGreaterThan(1_000 * scenarioNamed(name).secondsMax(plan));
        expect(timeLimitMs, name).toBeLessThan(3_600_000);
      }
      expect(steps).toHaveLength(SCENARIOS.length);
    },
  );
});
