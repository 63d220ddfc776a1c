/** When a job is said to cost more than usual; and that stale polls bound no times. */

import { expect, it } from "vitest";
import { NEW_TRACK } from "../../../../contract/timeline/track.ts";
import { broken } from "../../../../contract/verdict.ts";
import type { ProbeEvent } from "../../../../probe/events.ts";
import { countCost } from "../../../../probe/operation/costs/cost.ts";
import { UsualCosts } from "../../../../probe/operation/costs/usual-costs.ts";
import { Knowledge } from "../../../../probe/operation/knowledge.ts";
import type { Run } from "../../../../probe/operation/runs/run.ts";
import { fakeClock } from "../../fake-clock.ts";

const UNKNOWN: Run["cost"] = { spent: { jobs: 0, credits: 0, usd: 0 }, isStated: false };
const credits = (amount: number) => ({ credits: amount, usd: 0, ranMs: 100 });

function learnt(costs: UsualCosts, amounts: readonly number[]) {
  return amounts.flatMap((amount) => costs.learn("echo", credits(amount)) ?? []);
}

it("a job that costs more than five times as much as most before it is told", () => {
  const costs = new UsualCosts();
  expect(learnt(costs, Array<number>(9).fill(0.2))).toEqual([]);
  expect(learnt(costs, [9.9, 1])).toEqual([]);
  expect(learnt(costs, [1.1])).toEqual(["1.1 credits, usually 0.2"]);
  expect(costs.learn("other", credits(9))).toBeNull();
});

it("a cost that is as many times higher as the run took longer is none", () => {
  const costs = new UsualCosts();
  learnt(costs, Array<number>(10).fill(2));
  expect(costs.learn("echo", { ...credits(20), ranMs: 1_000 })).toBeNull();
  expect(costs.learn("echo", { ...credits(20), ranMs: 300 })).not.toBeNull();
  expect(costs.learn("echo", { ...credits(20), ranMs: null })).not.toBeNull();
});

it("what is free tells no price, and a new price is usual after some thirty jobs", () => {
  const costs = new UsualCosts();
  expect(learnt(costs, Array<number>(40).fill(0))).toEqual([]);
  expect(learnt(costs, Array<number>(60).fill(1))).toEqual([]);
  expect(learnt(costs, Array<number>(60).fill(10))).toHaveLength(30);
});

it("the first word of a job's cost is told of, and no later one", () => {
  const told: ProbeEvent[] = [];
  const emit = (event: ProbeEvent) => void (event.type === "answer-fault" && told.push(event));
  const parts = { emit, clock: fakeClock(), knowledge: new Knowledge() };
  const intent = { runId: "run", canary: "main", workerId: "echo" } as Run["intent"];
  const run = { intent, jobId: "job", cost: UNKNOWN, track: NEW_TRACK } as Run;
  const costs = (amount: number, isStated: boolean) => {
    countCost(parts, run, { spent: { jobs: 1, credits: amount, usd: 0 }, isStated });
  };
  for (let jobs = 0; jobs < 10; jobs += 1) {
    run.cost = UNKNOWN;
    costs(2, true);
  }
  costs(90, true);
  run.cost = UNKNOWN;
  costs(90, false);
  expect(told).toEqual([]);
  costs(90, true);
  const why = "a job of echo cost 90 credits, usually 2";
  expect(told).toMatchObject([{ what: "raised-costs", why }]);
});

it("while jobs go back, what polls tell of times breaks nothing, for an hour", () => {
  const knowledge = new Knowledge();
  const seen = (
    ["job.forward-only", "job.duration", "timeout.not-early", "job.shape"] as const
  ).map((promise) => broken(promise, "seen"));
  const told = (atMs: number, findings = seen.slice(1)) =>
    knowledge.credible(findings, atMs).map(({ promise }) => promise);
  const all = ["job.duration", "timeout.not-early", "job.shape"];
  expect(told(0)).toEqual(all);
  expect(told(1, seen)).toEqual(["job.forward-only", "job.shape"]);
  expect(told(3_600_000)).toEqual(["job.shape"]);
  expect(told(3_600_001)).toEqual(all);
});
