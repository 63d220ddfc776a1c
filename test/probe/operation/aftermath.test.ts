/** What is seen of a job after its run's verdict: a late end, and what it cost in truth. */

import { expect, it } from "vitest";
import { canary, open } from "../open-probe.ts";

const LINKS = { runbook: null, dashboard: null };

/** A ceiling that none of these jobs reaches; what is left of it tells what is charged. */
const PLAN = {
  budget: { day: { jobs: null, credits: 100, usd: null }, month: null },
  requestsPerJob: null,
  rateShare: 1,
  key: null,
  links: LINKS,
};

/** A job that outlives its deadline; its webhook tells when to look again. */
const LATE = { webhook: true, deadlineMs: 700 };

async function becomes(sample: () => Promise<number>, expected: number): Promise<void> {
  while ((await sample()) !== expected) await new Promise((resolve) => setTimeout(resolve, 50));
}

it("an end after the deadline is no success, and counts as what it is", async () => {
  const { probe, sample } = await open({
    reference: { timeScale: 0.25 },
    canaries: [canary("slow", LATE)],
  });
  expect((await probe.once()).get("slow")).toMatchObject({ outcome: "deadline", end: null });
  expect(await sample(/^plumbline_job_censored_age_seconds_count/)).toBe(1);
  await becomes(() => sample(/^plumbline_jobs_terminal_total.*state="completed"/), 1);
  expect(await sample(/^plumbline_canary_runs_total.*outcome="success"/)).toBe(0);
  expect(await sample(/^plumbline_canary_runs_total/)).toBe(1);
  await becomes(() => sample(/^plumbline_webhook_deliveries_total.*outcome="first"/), 1);
});

it("what a job cost is put right when its late end tells: a timeout is free", async () => {
  const { probe, sample } = await open({
    reference: { variant: "A", timeScale: 0.1 },
    canaries: [canary("timeout", LATE)],
    target: { probe: PLAN },
  });
  const left = () => sample(/^plumbline_budget_left.*span="day".*unit="credits"/);
  expect((await probe.once()).get("timeout")).toMatchObject({ outcome: "deadline" });
  expect(await left()).toBeLessThan(100);
  await becomes(left, 100);
});
