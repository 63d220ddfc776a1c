/** The probe in operation: cancels, overlaps, receivers out of reach, reloads, sleeps. */

import { describe, expect, it, onTestFinished } from "vitest";
import type { Target } from "../../../contract/target.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import type { ReferenceService } from "../../../reference/service.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { silent, startHostile } from "../client/hostile-service.ts";
import { probeOn } from "../client/probe-on.ts";
import { canary, open } from "../open-probe.ts";

const REAL_TIME = { timeScale: 1 };

/** Whatever is submitted to the worker next waits in its queue. */
async function occupySlot({ baseUrl, keys }: ReferenceService): Promise<void> {
  const value = keys.find(({ name }) => name === "pro-b")?.value ?? "";
  const answer = await fetch(`${baseUrl}/v1/workers/sleep/jobs`, {
    method: "POST",
    headers: { "x-api-key": value, "content-type": "application/json" },
    body: JSON.stringify({ seconds: 20 }),
  });
  expect(answer.status).toBe(202);
}

describe("a canary that is to be cancelled", () => {
  const cancelled = canary("slow", { expect: "cancelled" });

  it("is a success when its job is cancelled before it runs", async () => {
    const reference = { timeScale: 1, slots: { sleep: 1 } };
    const { probe, service, sample } = await open({ reference, canaries: [cancelled] });
    await occupySlot(service);
    expect((await probe.once()).get("slow")).toMatchObject({ outcome: "success" });
    expect(await sample(/_transitions_total.*from="queued",to="cancelled"/)).toBe(1);
    expect(await sample(/_transition_seconds_count/)).toBe(0);
    expect(await sample(/^plumbline_promise_violations_total/)).toBe(0);
  });

  it("is no failure of the service's when its job ran before the request came", async () => {
    const { probe, service } = await open({ canaries: [cancelled] });
    service.faults.enable("cancel.queued/refused");
    expect((await probe.once()).get("slow")?.outcome).not.toBe("success");
  });

  it("is none either when that job outlasts the deadline", async () => {
    const service = await startHostile({});
    onTestFinished(() => service.close());
    const canaries = [canary("slow", { expect: "cancelled", deadlineMs: 1_000 })];
    const { probe } = await open({ canaries, target: { baseUrl: service.baseUrl } });
    expect((await probe.once()).get("slow")).toMatchObject({ outcome: "probe_error" });
  });
});

it("a job that the pace leaves no poll for is polled by its deadline", async () => {
  const parts = ["success", "list", "empty"] as const;
  const { probe, sample } = await open({
    canaries: parts.map((part) => canary(part, { deadlineMs: 3_000 })),
    target: { probe: { ...PROBE_PLAN, rateShare: 1e-5 } },
  });
  const outcomes = [...(await probe.once()).values()].map((run) => run?.outcome);
  expect(outcomes).toEqual(parts.map(() => "success"));
  expect(await sample(/^plumbline_sli_events_total.*canary-success.*bad/)).toBe(0);
});

it("no more runs of a canary are under way than its limit", async () => {
  const slow = canary("slow", { overlapMax: 2, deadlineMs: 3_000 });
  const { probe, sample } = await open({ canaries: [slow] });
  const runs = await Promise.all([probe.once(), probe.once(), probe.once()]);
  expect(runs.filter((each) => each.get("slow") === null)).toHaveLength(1);
  expect(await sample(/_skipped_total.*reason="overlap"/)).toBe(1);
});

describe("a ceiling in USD", () => {
  const day = { jobs: null, credits: null, usd: 0.001 };
  const target = { probe: { ...PROBE_PLAN, budget: { day, month: null } } };

  it.each(["page", "cursor"] as const)("knows a price on a later page: %s", async (kind) => {
    const reference = { choices: { workersPagination: kind } };
    const { probe, sample } = await open({ reference, target, canaries: [canary("files")] });
    expect((await probe.once()).get("files")).toBeNull();
    expect(await sample(/_skipped_total.*reason="budget"/)).toBe(1);
  });

  it("holds no submission up where the pace has no room to read the list", async () => {
    const reference = { choices: { workersPagination: "page" } } as const;
    const slowly = { probe: { ...target.probe, rateShare: 0.002 } };
    const { probe } = await open({
      reference,
      target: slowly,
      canaries: [canary("files", { deadlineMs: 20_000 })],
    });
    expect((await probe.once()).get("files")).toMatchObject({ outcome: "success" });
  });
});

it("asks for no webhook that can't arrive, and says so", async () => {
  const { probe, sample } = await open({
    canaries: [canary("success", { webhook: true })],
    target: { baseUrl: "http://service.invalid" },
  });
  expect(await sample(/^plumbline_webhook_receiver_listening/)).toBe(0);
  const view = (await (await fetch(`${probe.address}/api/canaries`)).json()) as {
    problems: { summary: string }[];
  };
  expect(JSON.stringify(view.problems)).toContain("expected webhook.publicUrl");
});

describe("a stop", () => {
  it("waits for verdicts that come within its grace", async () => {
    const { probe } = await open({ canaries: [canary("success")] });
    const runs = probe.once();
    await probe.close(20_000);
    expect((await runs).get("success")).toMatchObject({ outcome: "success" });
  });

  it("leaves what takes longer to the journal, without a verdict", async () => {
    const { probe, log } = await open({
      reference: { timeScale: 1 },
      canaries: [canary("slow", { deadlineMs: 60_000 })],
    });
    const runs = probe.once();
    await probe.close(0);
    expect((await runs).get("slow")).toBeNull();
    expect(log.join()).not.toContain("run-settled");
  });
});

it(covers("a stop is not held up by a service that says nothing", "32 probe"), async () => {
  const service = await startHostile({ success: { poll: silent } });
  onTestFinished(() => service.close());
  const asked = { parts: ["success"], deadlineMs: 120_000 } as const;
  const { probe, sample } = await probeOn(service, asked);
  const runs = probe.once();
  while (!service.paths.includes("/v1/jobs/job_success")) {
    await new Promise((over) => setTimeout(over, 50));
  }
  expect(await sample(/^plumbline_jobs_in_flight\{/)).toBe(1);
  const startedMs = performance.now();
  await probe.close(0);
  // A poll is waited for no longer than 10 s, any answer no longer than 15 s.
  expect(performance.now() - startedMs).toBeLessThan(8_000);
  expect((await runs).get("success")).toBeNull();
});

it("a restart tells nothing of canaries that are gone, whatever the journal knows", async () => {
  const canaries = [canary("success"), canary("failure")];
  const { probe, service, stateDir } = await open({ canaries });
  await probe.once();
  await probe.close(0);
  const { baseUrl } = service;
  const { metrics, sample } = await open({
    canaries: [canary("success")],
    target: { baseUrl },
    stateDir,
  });
  expect(await sample(/^plumbline_canary_last_finished_timestamp.*"success"/)).toBeGreaterThan(0);
  expect(await metrics()).not.toMatch(/^plumbline_canary_last.*"failure"/m);
});

describe("a reload", () => {
  it("takes links, objectives, canaries and the budget of polls", async () => {
    const { probe, service, sample } = await open({ canaries: [canary("success")] });
    const { target } = embeddedTarget(service);
    const links = { ...PROBE_PLAN.links, runbook: "https://wiki.example.com/jobs" };
    probe.reload({
      ...target,
      canaries: [canary("success", { everyMs: 7_000 }), canary("failure")],
      slo: [{ name: "canary-success", objective: 90 }],
      probe: { ...PROBE_PLAN, requestsPerJob: 3, links },
    });
    expect(await sample(/^plumbline_slo_objective_ratio.*canary-success/)).toBe(0.9);
    expect(await sample(/^plumbline_canary_interval_seconds.*"success"/)).toBe(7);
    expect(await (await fetch(probe.address)).text()).toContain(links.runbook);
    expect([...(await probe.once()).keys()]).toEqual(["success", "failure"]);
  });

  it("tells intervals that come back, and nothing of canaries that are gone", async () => {
    const canaries = [canary("success"), canary("failure")];
    const { probe, service, sample, metrics } = await open({ canaries });
    const { target } = embeddedTarget(service);
    await probe.once();
    const finished = /^plumbline_canary_last_finished_timestamp_seconds.*"success"/;
    const before = await sample(finished);
    for (const everyMs of [7_000, 60_000]) {
      probe.reload({ ...target, canaries: [canary("success", { everyMs })] });
    }
    expect(await sample(/^plumbline_canary_interval_seconds.*"success"/)).toBe(60);
    expect(await sample(finished)).toBe(before);
    expect(await sample(/^plumbline_canary_runs_total.*"failure"/)).toBe(1);
    expect(await metrics()).not.toMatch(/^plumbline_canary_(last|interval|next).*"failure"/m);
  });

  it("does not go on telling jobs in flight of canaries that are gone", async () => {
    const canaries = [canary("slow", { deadlineMs: 60_000 })];
    const { probe, service, sample, metrics } = await open({ reference: REAL_TIME, canaries });
    const runs = probe.once();
    while ((await sample(/^plumbline_jobs_in_flight\{.*"slow"/)) === 0);
    probe.reload({ ...embeddedTarget(service).target, canaries: [canary("success")] });
    expect(await metrics()).toMatch(/^plumbline_jobs_in_flight\{.*"success"/m);
    expect(await metrics()).not.toMatch(/^plumbline_jobs_in_flight.*"slow"/m);
    await probe.close(0);
    await runs;
  });

  it.each([
    ["target.baseUrl", { baseUrl: "http://127.0.0.1:1" }],
    ["webhook", { webhook: null }],
    ["the probe's key", { probe: { ...PROBE_PLAN, key: "free-a" } }],
    ["probe.metrics", { probe: { ...PROBE_PLAN, legacyMetrics: true } }],
  ] as [string, Partial<Target>][])("refuses another %s", async (name, changes) => {
    const { probe, service } = await open({ canaries: [canary("success")] });
    const { target } = embeddedTarget(service);
    const next = { ...target, canaries: [canary("success")], ...changes };
    expect(() => probe.reload(next)).toThrow(`${name} changed, which takes a restart`);
  });
});
