/** The probe in operation: cancels, overlaps, receivers out of reach, reloads, sleeps. */

import { describe, expect, it } from "vitest";
import type { Target } from "../../../contract/target.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import { canary, open } from "../open-probe.ts";

const LINKS = { runbook: null, dashboard: null };
const PLAN = {
  budget: { day: null, month: null },
  requestsPerJob: null,
  rateShare: 1,
  key: null,
  links: LINKS,
};

describe("a canary that is to be cancelled", () => {
  const cancelled = canary("slow", { expect: "cancelled" });

  it("is a success when its job is cancelled before it runs", async () => {
    const { probe, sample } = await open({ reference: { timeScale: 1 }, canaries: [cancelled] });
    expect((await probe.once()).get("slow")).toMatchObject({ outcome: "success" });
    expect(await sample(/_transition_seconds_count.*from="queued",to="cancelled"/)).toBe(1);
    expect(await sample(/^plumbline_promise_violations_total/)).toBe(0);
  });

  it("is no failure of the service's when its job ran before the request came", async () => {
    const { probe, service } = await open({ canaries: [cancelled] });
    service.faults.enable("cancel.queued/refused");
    expect((await probe.once()).get("slow")?.outcome).not.toBe("success");
  });
});

it("no more runs of a canary are under way than its limit", async () => {
  const slow = canary("slow", { overlapMax: 2, deadlineMs: 3_000 });
  const { probe, sample } = await open({ canaries: [slow] });
  const runs = await Promise.all([probe.once(), probe.once(), probe.once()]);
  expect(runs.filter((each) => each.get("slow") === null)).toHaveLength(1);
  expect(await sample(/_skipped_total.*reason="overlap"/)).toBe(1);
});

it("asks for no webhook that can't arrive, and says so", async () => {
  const { probe, sample } = await open({
    canaries: [canary("success", { webhook: true })],
    target: { baseUrl: "http://service.invalid" },
  });
  expect(await sample(/^plumbline_webhook_receiver_listening/)).toBe(0);
  const view = (await (await fetch(`${probe.address}/api/canaries`)).json()) as {
    troubles: string[];
  };
  expect(view.troubles.join()).toContain("expected webhook.publicUrl");
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

describe("a reload", () => {
  it("takes links, objectives, canaries and the budget of looks", async () => {
    const { probe, service, sample } = await open({ canaries: [canary("success")] });
    const { target } = embeddedTarget(service);
    const links = { ...LINKS, runbook: "https://wiki.example.com/jobs" };
    probe.reload({
      ...target,
      canaries: [canary("success", { everyMs: 7_000 }), canary("failure")],
      slo: [{ name: "canary-success", objective: 90 }],
      probe: { ...PLAN, requestsPerJob: 3, links },
    });
    expect(await sample(/^plumbline_slo_objective_ratio.*canary-success/)).toBe(0.9);
    expect(await sample(/^plumbline_canary_interval_seconds.*"success"/)).toBe(7);
    expect(await (await fetch(probe.address)).text()).toContain(links.runbook);
    expect([...(await probe.once()).keys()]).toEqual(["success", "failure"]);
  });

  it.each([
    ["target.baseUrl", { baseUrl: "http://127.0.0.1:1" }],
    ["webhook", { webhook: null }],
    ["the probe's key", { probe: { ...PLAN, key: "free-a" } }],
  ] as [string, Partial<Target>][])("refuses another %s", async (name, changes) => {
    const { probe, service } = await open({ canaries: [canary("success")] });
    const { target } = embeddedTarget(service);
    const key =
      target.keys.find(({ name: each }) => each === "free-a")?.name ?? target.keys[0]?.name;
    const probePlan = changes.probe == null ? {} : { probe: { ...PLAN, key: key ?? null } };
    const next = { ...target, canaries: [canary("success")], ...changes, ...probePlan };
    expect(() => probe.reload(next)).toThrow(`${name} changed, which takes a restart`);
  });
});
