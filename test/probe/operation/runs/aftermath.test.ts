/** What is seen of a job after its run's verdict: a late end, and what it cost in truth. */

import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { PROBE_PLAN } from "../../../gate/base-target.ts";
import { openReference } from "../../../reference/open-reference.ts";
import { bendingProxy } from "../../bending-proxy.ts";
import { canary, open, until } from "../../open-probe.ts";

/** A ceiling that none of these jobs reaches; what is left of it tells what is charged. */
const PLAN = {
  ...PROBE_PLAN,
  budget: { day: { jobs: null, credits: 100, usd: null }, month: null },
};

/** What the embedded service charges. */
const ECHO_USD = 0.01;
const SLEEP_USD = 0.01;

/**
 * A job that outlives its deadline, within which a busy machine still answers its submission; its
 * webhook tells when to poll again.
 */
const LATE = { webhook: true, deadlineMs: 6_000 };

async function becomes(sample: () => Promise<number>, expected: number): Promise<void> {
  await until(async () => (await sample()) === expected);
}

it("an end after the deadline is no success, and counts as what it is", async () => {
  const { probe, sample } = await open({
    reference: { timeScale: 1 },
    canaries: [canary("slow", LATE)],
  });
  expect((await probe.once()).get("slow")).toMatchObject({ outcome: "deadline", end: null });
  expect(await sample(/^plumbline_job_censored_age_seconds_count/)).toBe(1);
  const spent = () => sample(/^plumbline_spent_usd_total/);
  // Nobody knows yet what such a job costs.
  expect(await spent()).toBe(0);
  await becomes(() => sample(/^plumbline_jobs_terminal_total.*state="completed"/), 1);
  expect(await spent()).toBe(SLEEP_USD);
  expect(await sample(/^plumbline_spent_jobs_total/)).toBe(1);
  expect(await sample(/^plumbline_canary_runs_total.*outcome="success"/)).toBe(0);
  expect(await sample(/^plumbline_canary_runs_total/)).toBe(1);
  await becomes(() => sample(/^plumbline_webhook_deliveries_total.*outcome="first"/), 1);
});

it("a job that no poll has shown is not said to wait in the queue", async () => {
  const service = await openReference({ timeScale: 0.02 });
  const answer = (body: string, { url }: IncomingMessage) =>
    url?.startsWith("/v1/jobs/") ? null : body;
  const baseUrl = await bendingProxy(service.baseUrl, { answer });
  const canaries = [canary("success", { deadlineMs: 3_000 })];
  const { probe, sample } = await open({ target: { baseUrl }, canaries });
  await probe.once();
  expect(await sample(/^plumbline_job_censored_age_seconds_count.*state="unseen"/)).toBe(1);
  expect(await sample(/^plumbline_job_censored_age_seconds_count.*state="queued"/)).toBe(0);
});

it("what a job cost is put right when its late end tells: a timeout is free", async () => {
  const { probe, sample } = await open({
    reference: { variant: "A", timeScale: 0.4 },
    canaries: [canary("timeout", LATE)],
    target: { probe: PLAN },
  });
  const left = () => sample(/^plumbline_budget_left.*span="day".*unit="credits"/);
  expect((await probe.once()).get("timeout")).toMatchObject({ outcome: "deadline" });
  expect(await left()).toBeLessThan(100);
  await becomes(left, 100);
});

describe("a cost that is stated after the verdict", () => {
  const USD = /^plumbline_spent_usd_total/;
  const JOBS = /^plumbline_spent_jobs_total/;

  /** A service whose job endpoint keeps costs to itself for as long as it is told to. */
  async function withheld(webhook: boolean, reference = {}) {
    const service = await openReference({ timeScale: 0.02, ...reference });
    let isWithheld = true;
    const baseUrl = await bendingProxy(service.baseUrl, {
      answer: (body, { url }) => {
        if (!isWithheld || !url?.startsWith("/v1/jobs/")) return body;
        return JSON.stringify({ ...JSON.parse(body), cost: null });
      },
    });
    const canaries = [canary("success", { webhook })];
    const opened = await open({ reference: { timeScale: 0.02 }, target: { baseUrl }, canaries });
    expect((await opened.probe.once()).get("success")).toMatchObject({ outcome: "success" });
    return { ...opened, tell: () => (isWithheld = false) };
  }

  it("is counted when the poll after the end tells it", async () => {
    const { sample, tell } = await withheld(false);
    expect([await sample(USD), await sample(JOBS)]).toEqual([0, 1]);
    tell();
    await becomes(() => sample(USD), ECHO_USD);
    expect(await sample(JOBS)).toBe(1);
  });

  it("is counted when the webhook tells it", async () => {
    const { sample } = await withheld(true);
    await becomes(() => sample(USD), ECHO_USD);
  });

  it("is not taken from a webhook that can't be trusted", async () => {
    const { sample } = await withheld(true, { faults: ["webhook.signed/tampered"] });
    await becomes(() => sample(/_sli_events_total.*webhook-delivered.*"bad"/), 1);
    expect(await sample(USD)).toBe(0);
  });
});
