/** Jobs that cost more than their worker's price or their estimate are told of, once a worker. */

import { describe, expect, it } from "vitest";
import { decodeJob } from "../../../contract/decode/job.ts";
import type { Price } from "../../../contract/limits/budget.ts";
import { spendingOf } from "../../../scenarios/client/spending.ts";
import { withJson } from "../../contract/judges/answers.ts";

const TIMES = { submitted_at: "2026-01-01T00:00:00.000Z" };
const PRICE: Price = { credits: null, usd: 0.02 };

/** What is told of jobs of one worker with those costs. */
function toldOf(costs: readonly number[], billing = "per_run", price = PRICE) {
  const told: string[] = [];
  const spending = spendingOf(
    { jobs: null, credits: null, usd: null },
    (text) => told.push(text),
    () => 0,
  );
  for (const [at, usd] of costs.entries()) {
    const charge = spending.take("echo", price);
    if (typeof charge === "string") throw new Error(`no room: ${charge}`);
    const id = `job-${at}`;
    const job = { job_uuid: id, worker_id: "echo", status: "QUEUED", ...TIMES };
    charge.answered(withJson(202, job));
    const cost = { total_usd: usd, run_usd: usd, infra_usd: 0, billing_mode: billing };
    const body = { job_id: id, worker_id: "echo", status: "SUCCEEDED", timestamps: TIMES, cost };
    const ended = decodeJob(body).value;
    if (ended === null) throw new Error("the fixture is no job");
    spending.ended(id, ended);
  }
  return told;
}

describe("a run that is dearer than its worker's price", () => {
  it("is told of once", () => {
    const told = ['a run of "echo" cost 2 USD; its price is 0.02 USD'];
    expect(toldOf([0.02, 2, 2])).toEqual(told);
  });

  it.each([
    ["that cost the price, or less", [0.02, 0.01, 0], "per_run", PRICE],
    ["that are rounded", [0.0201], "per_run", PRICE],
    ["that are paid by events", [2], "per_event", PRICE],
    ["of a worker without a price", [2], "per_run", { credits: null, usd: null }],
  ] as const)("is none of those %s", (_name, costs, billing, price) => {
    expect(toldOf(costs, billing, price)).toEqual([]);
  });
});

describe("a run of variant A", () => {
  it.each([
    ["far beyond its estimate", 20, 0.2, ['a run of "echo" cost 20 credits; its estimate was 0.2']],
    ["beyond it", 0.5, 0.2, []],
    ["without one that says anything", 20, 0, []],
  ])("%s: %#", (_name, credits, estimate, expected) => {
    const told: string[] = [];
    const budget = { jobs: null, credits: null, usd: null };
    const spending = spendingOf(
      budget,
      (text) => told.push(text),
      () => 0,
    );
    const charge = spending.take("echo", { credits: null, usd: null });
    if (typeof charge === "string") throw new Error(`no room: ${charge}`);
    const created = { worker: "echo", created_at: TIMES.submitted_at };
    const accepted = { job_uuid: "job-1", status: "queued", ...created };
    charge.answered(withJson(202, { ...accepted, cost_estimate_credits: estimate }));
    const job = { job_uuid: "job-1", status: "completed", ...created, cost_credits: credits };
    const ended = decodeJob(job).value;
    if (ended === null) throw new Error("the fixture is no job");
    spending.ended("job-1", ended);
    expect(told).toEqual(expected);
  });
});
