/** The budget is a ceiling that no submission crosses. */

import { describe, expect, it } from "vitest";
import { decodeJob } from "../../../contract/decode/job.ts";
import { UNPRICED } from "../../../contract/limits/budget.ts";
import type { Budget } from "../../../contract/run/run-plan.ts";
import type { Charge, Spending } from "../../../scenarios/client/spending.ts";
import { spendingOf } from "../../../scenarios/client/spending.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { answer, withJson } from "../../contract/judges/answers.ts";

const NONE = { jobs: null, credits: null, usd: null };

function ledger(budget: Partial<Budget>) {
  const told: string[] = [];
  const clock = { nowMs: 0 };
  const spending = spendingOf(
    { ...NONE, ...budget },
    (text) => told.push(text),
    () => clock.nowMs,
  );
  return { spending, told, clock };
}

function mustTake(spending: Spending, worker = "echo", price = UNPRICED): Charge {
  const taken = spending.take(worker, price);
  if (typeof taken === "string") throw new Error(`no room: ${taken}`);
  return taken;
}

const isRoom = (taken: ReturnType<Spending["take"]>) => typeof taken !== "string";

const acceptedA = (id: string, estimate?: number) =>
  withJson(202, {
    job_uuid: id,
    status: "queued",
    worker: "echo",
    cost_estimate_credits: estimate,
    created_at: "2026-01-01T00:00:00Z",
  });

const acceptedB = (id: string) =>
  withJson(202, {
    job_uuid: id,
    worker_id: "echo",
    status: "QUEUED",
    submitted_at: "2026-01-01T00:00:00.000Z",
  });

function endedA(id: string, credits: number | null, status = "completed") {
  const body = { job_uuid: id, status, worker: "echo", cost_credits: credits, result: {} };
  const job = decodeJob({ ...body, created_at: "2026-01-01T00:00:00Z" }).value;
  if (job === null) throw new Error("the fixture is no job");
  return job;
}

describe("spendingOf", () => {
  it("without a ceiling takes any number of jobs", () => {
    const { spending } = ledger({});
    const takes = Array.from({ length: 500 }, () => spending.take("echo", { usd: 1, credits: 1 }));
    expect(takes.every(isRoom)).toBe(true);
    expect(spending.left()).toBe(Number.POSITIVE_INFINITY);
    expect(spending.exhausted()).toBe(false);
  });

  it("stops at the ceiling of jobs, and says so", () => {
    const { spending } = ledger({ jobs: 2 });
    const takes = [1, 2, 3].map(() => isRoom(spending.take("echo", UNPRICED)));
    expect(takes).toEqual([true, true, false]);
    expect(spending.exhausted()).toBe(true);
    expect(spending.spent().jobs).toBe(2);
  });

  it("holds prices before a job is sent, and gives back what a refused one did not cost", () => {
    const { spending } = ledger({ usd: 0.025 });
    const price = { usd: 0.01, credits: null };
    const first = mustTake(spending, "echo", price);
    first.answered(acceptedA("a", 1));
    mustTake(spending, "echo", price).answered(answer(422));
    mustTake(spending, "echo", price).answered(acceptedA("b", 1));
    expect(spending.take("echo", price)).toBe("none");
    expect(spending.spent().usd).toBeCloseTo(0.02);
  });

  it("lets one job of a worker out while nobody knows what it costs", () => {
    const { spending } = ledger({ credits: 3 });
    const first = mustTake(spending);
    expect(spending.take("echo", UNPRICED)).toBe("later");
    expect(spending.take("other", UNPRICED)).toBe("later");
    expect(spending.exhausted()).toBe(false);
    first.answered(acceptedA("a"));
    expect(spending.take("echo", UNPRICED)).toBe("later");
    spending.ended("a", endedA("a", 2));
    expect(spending.take("echo", UNPRICED)).toBe("none");
    expect(spending.spent()).toEqual({ jobs: 1, credits: 2, usd: 0 });
  });

  it("holds the estimate of each accepted job until its cost is told", () => {
    const { spending } = ledger({ credits: 3 });
    for (const id of ["a", "b", "c"]) mustTake(spending).answered(acceptedA(id, 1));
    expect(spending.take("echo", UNPRICED)).toBe("none");
    expect(spending.spent().credits).toBe(3);
    spending.ended("a", endedA("a", 0, "timeout"));
    spending.ended("a", endedA("a", 0, "timeout"));
    expect(spending.spent().credits).toBe(2);
    expect(spending.left()).toBe(1);
    mustTake(spending);
  });

  it.each([-5, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY])(
    covers("takes a cost of %d for none that is known: what is held stays spent", "24 gate"),
    (cost) => {
      const { spending } = ledger({ credits: 3 });
      for (const id of ["a", "b", "c"]) mustTake(spending).answered(acceptedA(id, 1));
      const ended = endedA("a", 1);
      spending.ended("a", { ...ended, cost: { ...ended.cost, credits: cost } });
      expect(spending.spent().credits).toBe(3);
      expect(spending.take("echo", UNPRICED)).toBe("none");
      expect(spending.charges()).toMatchObject({ credits: 0, unknown: 3 });
    },
  );

  it(covers("counts costs of which each is nearly all that a number can be", "24 gate"), () => {
    const { spending } = ledger({ credits: 3 });
    for (const id of ["a", "b"]) mustTake(spending).answered(acceptedA(id, 1));
    for (const id of ["a", "b"]) spending.ended(id, endedA(id, 1.7e308));
    // As a record is written and read again: JSON makes null of what is infinite.
    const written = JSON.parse(JSON.stringify([spending.spent(), spending.charges()]));
    expect(written[0]).toMatchObject({ jobs: 2, credits: Number.MAX_VALUE });
    expect(written[1]).toMatchObject({ credits: Number.MAX_VALUE });
    expect(spending.take("echo", UNPRICED)).toBe("none");
  });

  it("stops where nothing can be paid for, and not for single ones that can't", () => {
    const { spending, told, clock } = ledger({});
    const unpaid = withJson(402, { error: "insufficient credits" });
    for (let n = 0; n < 19; n += 1) mustTake(spending).answered(unpaid);
    mustTake(spending).answered(acceptedA("a", 1));
    for (let n = 0; n < 19; n += 1) mustTake(spending).answered(unpaid);
    clock.nowMs += 10_000;
    expect(spending.exhausted()).toBe(false);
    mustTake(spending).answered(unpaid);
    expect(spending.take("echo", UNPRICED)).toBe("none");
    expect(spending.left()).toBe(0);
    expect(told).toEqual([expect.stringMatching(/^20 submissions in a row got 402/)]);
    expect(spending.whyNot("the budget")).toMatch(/^20 submissions in a row got 402, Payment/);
  });

  it.each([
    ["are taken again after 6 s", 6_000, "room", "the budget"],
    ["are not taken for 10 s", 10_000, "none", "25 submissions in a row got 401, Unauthorized"],
  ] as const)("tries each 2 s whether submissions that %s are taken", (_, ms, room, why) => {
    const { spending, told, clock } = ledger({});
    for (let n = 0; n < 20; n += 1) mustTake(spending).answered(answer(401));
    expect(spending.whyNot("the budget")).toMatch(/^20 submissions in a row got 401/);
    for (; clock.nowMs < ms; ) {
      expect(spending.take("echo", UNPRICED)).toBe("later");
      clock.nowMs += 2_000;
      const isBack = ms < 10_000 && clock.nowMs === ms;
      mustTake(spending).answered(isBack ? acceptedA("a", 1) : answer(401));
    }
    const taken = spending.take("echo", UNPRICED);
    expect(isRoom(taken) ? "room" : taken).toBe(room);
    expect(spending.whyNot("the budget")).toBe(why);
    const held = "20 submissions in a row got 401, Unauthorized: one is tried every 2 s";
    expect(told).toEqual([held, ...(room === "none" ? [`${why}: no more are sent`] : [])]);
  });

  it("takes an estimate below zero for none", () => {
    const { spending } = ledger({ credits: 3 });
    mustTake(spending).answered(acceptedA("a", -5));
    spending.surprise(acceptedA("b", -5));
    expect(spending.spent().credits).toBe(0);
    expect(spending.take("echo", UNPRICED)).toBe("later");
  });

  it("waits for the first answer where the catalogue's price is all that is known", () => {
    const { spending } = ledger({ credits: 10 });
    const price = { usd: null, credits: 2 };
    const first = mustTake(spending, "echo", price);
    expect(spending.take("echo", price)).toBe("later");
    first.answered(acceptedA("a", 6));
    expect(spending.take("echo", price)).toBe("none");
    expect(isRoom(spending.take("other", price))).toBe(true);
  });

  it("does not let the first job out where its price alone is too much", () => {
    expect(ledger({ credits: 1 }).spending.take("echo", { usd: null, credits: 2 })).toBe("none");
  });

  it("learns nothing of a worker from a job that was free by rule", () => {
    const { spending } = ledger({ credits: 3 });
    mustTake(spending).answered(acceptedA("a"));
    spending.ended("a", endedA("a", 0, "timeout"));
    mustTake(spending);
    expect(spending.take("echo", UNPRICED)).toBe("later");
  });

  it("says of a unit that nobody states that its ceiling was not kept to", () => {
    const { spending, told } = ledger({ credits: 3 });
    const price = { usd: 0.01, credits: null };
    const charge = mustTake(spending, "echo", price);
    charge.answered(acceptedB("a"));
    expect(told).toEqual([expect.stringMatching(/ceiling in credits was not kept to/)]);
    expect(isRoom(spending.take("echo", price))).toBe(true);
    expect(isRoom(spending.take("echo", price))).toBe(true);
  });

  it("keeps what is held for a job that nobody answered for", () => {
    const { spending } = ledger({ usd: 1 });
    mustTake(spending, "echo", { usd: 0.6, credits: null }).answered(answer(0));
    expect(spending.take("echo", { usd: 0.6, credits: null })).toBe("none");
  });

  it("goes on after a first job that nobody answered for", () => {
    const { spending } = ledger({ credits: 3 });
    mustTake(spending).answered(answer(503));
    expect(isRoom(spending.take("echo", UNPRICED))).toBe(true);
  });

  it("takes a job back that was not sent", () => {
    const { spending } = ledger({ jobs: 1 });
    mustTake(spending).unsent();
    expect(isRoom(spending.take("echo", UNPRICED))).toBe(true);
  });

  it("counts jobs that a wrong body started", () => {
    const { spending } = ledger({ jobs: 1 });
    spending.surprise(acceptedA("a", 4));
    expect(spending.take("echo", UNPRICED)).toBe("none");
    expect(spending.spent()).toEqual({ jobs: 1, credits: 4, usd: 0 });
  });
});
