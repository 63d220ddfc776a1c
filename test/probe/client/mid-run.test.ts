/** What a service says of a job that is under way: how it counts, and what is sent and charged. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { Budget } from "../../../contract/run/run-plan.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { canary, open } from "../open-probe.ts";
import type { Behaviour, Hostility } from "./hostile-service.ts";
import { acceptance, job, json, startHostile } from "./hostile-service.ts";

const ID = "job_echo";
/** Ours: time for several polls on a busy machine. */
const DEADLINE_MS = 6_000;
const CEILING = 100;

/** Ceilings that a job or two do not reach; what is left of them tells what is charged. */
const JOBS = { jobs: CEILING, credits: null, usd: null };
const CREDITS = { ...JOBS, credits: CEILING };

function planOf(day: Budget) {
  return { ...PROBE_PLAN, budget: { day, month: null } };
}

/** What is told of the job at each time, with one time of its creation. */
function answersOfJob() {
  const created_at = new Date().toISOString();
  const shown =
    (status: string, changes: object = {}): Behaviour =>
    (response, request) =>
      json(200, job(ID, status, { created_at, ...changes }))(response, request);
  // The service estimates a job at a credit.
  const accepted = json(202, { ...acceptance(ID, "echo"), created_at });
  return { accepted, shown, running: shown("running") };
}

/** Answers one after the other, the last one for ever. */
function inTurn(...answers: readonly Behaviour[]): Behaviour {
  let at = 0;
  return (response, request) => {
    const answer = answers[Math.min(at, answers.length - 1)];
    at += 1;
    answer?.(response, request);
  };
}

async function probeOf(hostility: Hostility, day: Budget = CREDITS) {
  const service = await startHostile({ echo: hostility });
  onTestFinished(() => service.close());
  const { probe, sample } = await open({
    canaries: [canary("success", { deadlineMs: DEADLINE_MS })],
    target: { baseUrl: service.baseUrl, probe: planOf(day) },
  });
  return {
    run: async () => (await probe.once()).get("success"),
    submissions: () => service.paths.filter((path) => path.endsWith("/jobs")).length,
    lost: () => sample(/^plumbline_promise_violations_total.*"job.never-lost"/),
    blamed: () => sample(/^plumbline_sli_events_total.*canary-success.*bad/),
    left: (unit: string) => sample(new RegExp(`^plumbline_budget_left.*"day".*"${unit}"`)),
    skipped: () => sample(/_skipped_total.*reason="budget"/),
  };
}

describe("a service that no longer takes the probe's requests", () => {
  it.each([
    [covers("as the key is revoked", "27 probe"), 401, "auth"],
    [covers("as no credits are left", "28 probe"), 402, "credits"],
  ] as const)("%s, loses no job, and is sent each submission once", async (_, status, outcome) => {
    const { accepted, running } = answersOfJob();
    const refusal = json(status, {});
    const hostility = { submit: inTurn(accepted, refusal), poll: inTurn(running, refusal) };
    const { run, submissions, lost, blamed, left } = await probeOf(hostility, JOBS);
    const refused = { outcome, why: expect.stringContaining(`${status}`), end: null };
    expect(await run()).toMatchObject(refused);
    expect(submissions()).toBe(1);
    // The first job may run on. A submission that is refused costs nothing.
    expect(await left("jobs")).toBe(CEILING - 1);
    expect(await run()).toMatchObject(refused);
    expect([submissions(), await left("jobs")]).toEqual([2, CEILING - 1]);
    expect([await lost(), await blamed()]).toEqual([0, 0]);
  });
});

const NOT_FOUND = json(404, {});
const FAILURE = json(500, "oops");

describe("a job whose polls fail", () => {
  it.each([
    [covers("as it is not found any more is lost, and stays charged", "29 probe"), NOT_FOUND, 1],
    [covers("with 500 until the deadline is not lost, and stays charged", "25 probe"), FAILURE, 0],
  ] as const)("%s", async (_, failure, losses) => {
    const { accepted, running } = answersOfJob();
    const poll = inTurn(running, failure);
    const { run, lost, blamed, left } = await probeOf({ submit: accepted, poll });
    expect(await run()).toMatchObject({ outcome: "http_error", end: null });
    expect([await lost(), await blamed()]).toEqual([losses, 1]);
    expect([await left("jobs"), await left("credits")]).toEqual([CEILING - 1, CEILING - 1]);
  });

  it(covers("with 500 between two good ones loses nothing", "25 probe"), async () => {
    const { accepted, running, shown } = answersOfJob();
    const poll = inTurn(running, FAILURE, FAILURE, shown("completed", { cost_credits: 3 }));
    const { run, lost, blamed, left } = await probeOf({ submit: accepted, poll });
    expect(await run()).toMatchObject({ outcome: "success", end: "completed" });
    expect([await lost(), await blamed()]).toEqual([0, 0]);
    expect([await left("jobs"), await left("credits")]).toEqual([CEILING - 1, CEILING - 3]);
  });
});

describe("a ceiling in credits", () => {
  it.each([
    ["-1e6", CEILING - 1],
    ["null", CEILING - 1],
    ['"NaN"', CEILING - 1],
    ["1e999", CEILING - 1],
    ["1e308", 0],
  ])(
    covers("is not widened by a cost of %s, and no job is sent after it", "24 probe"),
    async (cost, rest) => {
      const { accepted } = answersOfJob();
      const text = JSON.stringify(job(ID, "completed", { cost_credits: "cost" }));
      const poll = json(200, text.replace('"cost"', cost));
      const probe = await probeOf({ submit: accepted, poll });
      expect(await probe.run()).toMatchObject({ end: "completed" });
      // What was estimated stays charged; of no amount nobody knows what the next job costs.
      expect([await probe.left("jobs"), await probe.left("credits")]).toEqual([CEILING - 1, rest]);
      expect(await probe.run()).toBeNull();
      expect([probe.submissions(), await probe.skipped()]).toEqual([1, 1]);
    },
  );
});
