/** When a job is said to cost more than usual; and that stale polls bound no times. */

import { expect, it } from "vitest";
import { NEW_TRACK } from "../../../../contract/timeline/track.ts";
import { broken } from "../../../../contract/verdict.ts";
import type { ProbeEvent } from "../../../../probe/events.ts";
import { countCost } from "../../../../probe/operation/costs/cost.ts";
import { orderOf, UsualCosts } from "../../../../probe/operation/costs/usual-costs.ts";
import { Knowledge } from "../../../../probe/operation/knowledge.ts";
import type { Run } from "../../../../probe/operation/runs/run.ts";
import { fakeClock } from "../../fake-clock.ts";

const UNKNOWN: Run["cost"] = { spent: { jobs: 0, credits: 0, usd: 0 }, isStated: false };
const credits = (amount: number) => ({ credits: amount, usd: 0, ranMs: 100 });

const HOUR_MS = 3_600_000;

function learnt(costs: UsualCosts, amounts: readonly number[], atMs = 0, order = "order") {
  return amounts.flatMap((amount) => costs.learn("main", order, credits(amount), atMs) ?? []);
}

it("a job that costs more than five times as much as most before it is told", () => {
  const costs = new UsualCosts();
  expect(learnt(costs, Array<number>(9).fill(0.2))).toEqual([]);
  expect(learnt(costs, [9.9, 1])).toEqual([]);
  expect(learnt(costs, [1.1])).toEqual(["1.1 credits, usually 0.2"]);
  expect(costs.learn("other", "order", credits(9), 0)).toBeNull();
});

it("a cost that is as many times higher as the run took longer is none", () => {
  const costs = new UsualCosts();
  learnt(costs, Array<number>(10).fill(2));
  const ran = (ranMs: number | null) => costs.learn("main", "order", { ...credits(20), ranMs }, 0);
  expect(ran(1_000)).toBeNull();
  expect(ran(300)).not.toBeNull();
  expect(ran(null)).not.toBeNull();
});

it("what is free tells no price, and a new price is usual after some thirty jobs", () => {
  const costs = new UsualCosts();
  expect(learnt(costs, Array<number>(40).fill(0))).toEqual([]);
  expect(learnt(costs, Array<number>(60).fill(1))).toEqual([]);
  expect(learnt(costs, Array<number>(60).fill(10))).toHaveLength(30);
});

it("a price that comes back within a week, be it each morning, is none", () => {
  const costs = new UsualCosts();
  for (let day = 0; day < 10; day += 1) {
    const nightMs = day * 24 * HOUR_MS;
    expect(learnt(costs, Array<number>(60).fill(1), nightMs)).toEqual([]);
    // The very first morning nobody knows the price of the day.
    const told = learnt(costs, Array<number>(60).fill(10), nightMs + 6 * HOUR_MS);
    expect(told).toHaveLength(day === 0 ? 30 : 0);
  }
  expect(learnt(costs, [60], 240 * HOUR_MS)).toEqual(["60 credits, usually 10"]);
  const after = learnt(costs, Array<number>(60).fill(1), 241 * HOUR_MS);
  expect(after).toEqual([]);
  learnt(costs, [1], 430 * HOUR_MS);
  expect(learnt(costs, [10], 440 * HOUR_MS)).toEqual(["10 credits, usually 1"]);
});

it("what is asked for differently has costs of its own", () => {
  const costs = new UsualCosts();
  learnt(costs, Array<number>(20).fill(1));
  expect(learnt(costs, Array<number>(20).fill(9), 0, "longer")).toEqual([]);
  expect(learnt(costs, [50], 0, "longer")).toHaveLength(1);
  const intent = { workerId: "echo", mark: "mark-1" };
  const body = { text: "mark-1", seconds: 1, webhook: "http://hooks.test/1" };
  const order = orderOf(intent, JSON.stringify(body));
  const other = { ...body, text: "mark-2", webhook: "http://hooks.test/2" };
  expect(orderOf({ ...intent, mark: "mark-2" }, JSON.stringify(other))).toBe(order);
  expect(orderOf(intent, JSON.stringify({ ...body, seconds: 2 }))).not.toBe(order);
  expect(orderOf({ ...intent, workerId: "rows" }, JSON.stringify(body))).not.toBe(order);
  expect(["{", null, "7"].map((each) => orderOf(intent, each))).toEqual([null, null, null]);
});

it("the first word of a job's cost is told of, and no later one", () => {
  const told: ProbeEvent[] = [];
  const emit = (event: ProbeEvent) => void (event.type === "answer-fault" && told.push(event));
  const parts = { emit, clock: fakeClock(), knowledge: new Knowledge() };
  const intent = { runId: "run", canary: "main", workerId: "echo" } as Run["intent"];
  const submission = { requestBody: "{}" } as Run["submission"];
  const run = { intent, submission, jobId: "job", cost: UNKNOWN, track: NEW_TRACK } as Run;
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
  // As is what a cache shows long after the webhook of a job.
  knowledge.wentStale(4_000_000);
  expect(told(4_000_000)).toEqual(["job.shape"]);
});
