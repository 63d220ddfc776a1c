/** The probe against the embedded service: what it sees, and that it is not green when blind. */

import { describe, expect, it } from "vitest";
import { METRICS } from "../../probe/metrics/catalogue.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { PROBE_PLAN } from "../gate/base-target.ts";
import { canary, open } from "./open-probe.ts";

describe.each(["A", "B"] as const)("on variant %s", (variant) => {
  it("each part's canary is a success, with its transitions and webhook", async () => {
    const parts = ["success", "failure", "timeout"] as const;
    const canaries = parts.map((part) => canary(part, { webhook: true }));
    const { probe, sample, log } = await open({ reference: { variant }, canaries });
    const runs = await probe.once();
    expect([...runs].map(([name, settled]) => [name, settled?.outcome, settled?.end])).toEqual([
      ["success", "success", "completed"],
      ["failure", "success", "failed"],
      ["timeout", "success", "timeout"],
    ]);
    expect(await sample(/^plumbline_canary_runs_total.*outcome="success"/)).toBe(3);
    // Whether a poll meets a job of variant B while it starts is chance.
    expect(await sample(/^plumbline_job_transition_seconds_count.*from="queued"/)).toBe(3);
    expect(await sample(/^plumbline_job_transition_seconds_count.*from="running"/)).toBe(3);
    expect(await sample(/^plumbline_promise_violations_total/)).toBe(0);
    expect(log.join()).not.toContain('"level":50');
  });
});

describe("faults of the service", () => {
  it.each([
    ["job.result-present/missing", "wrong_result"],
    ["submit.accepted-status/answers-200", "success"],
  ])("%s is counted under its promise, and the run is %s", async (fault, outcome) => {
    const { probe, service, sample } = await open({ canaries: [canary("success")] });
    service.faults.enable(fault);
    const promise = fault.split("/")[0] ?? "";
    const runs = await probe.once();
    expect(runs.get("success")?.outcome).toBe(outcome);
    expect(await sample(new RegExp(`violations_total.*promise="${promise}"`))).toBe(1);
    expect(await sample(/^plumbline_promise_violations_total/)).toBe(1);
  });

  it("the result of another run's job is counted, as it holds that run's mark", async () => {
    const { probe, service, sample } = await open({ canaries: [canary("success")] });
    service.faults.enable("job.own-result/of-the-job-before");
    await probe.once();
    expect((await probe.once()).get("success")?.outcome).toBe("success");
    expect(await sample(/violations_total.*promise="job.own-result"/)).toBe(1);
    expect(await sample(/^plumbline_promise_violations_total/)).toBe(1);
  });

  it(covers("a job that does not end is a deadline, and no success", "30 probe"), async () => {
    const { probe, sample } = await open({
      reference: { timeScale: 1 },
      canaries: [canary("slow", { deadlineMs: 5_000 })],
    });
    const settled = (await probe.once()).get("slow");
    expect(settled).toMatchObject({ outcome: "deadline", end: null });
    expect(await sample(/^plumbline_sli_events_total.*success.*bad/)).toBe(1);
  });

  const SAME_ID = /^plumbline_promise_violations_total.*promise="job.same-id"/;

  it.each(["another-id", "upper-case"])(
    "another's job (%s) in all answers until the deadline is a wrong result",
    async (how) => {
      const canaries = [canary("success", { deadlineMs: 4_000 })];
      const { probe, service, sample } = await open({ canaries });
      service.faults.enable(`job.same-id/${how}`);
      expect((await probe.once()).get("success")).toMatchObject({
        outcome: "wrong_result",
        end: null,
        why: "no end within 4 s; the last answer shows another job",
      });
      expect(await sample(SAME_ID)).toBe(1);
    },
  );

  it.each([
    ["success", 10_000, 0.02, "success"],
    ["slow", 4_000, 1, "deadline"],
  ] as const)(
    "another's job in some answers leaves the %s canary what it was",
    async (part, deadlineMs, timeScale, outcome) => {
      const canaries = [canary(part, { deadlineMs })];
      const { probe, service, sample } = await open({ reference: { timeScale }, canaries });
      service.faults.enable("job.same-id/another-id");
      const runs = probe.once();
      const polls = /^plumbline_http_requests_total.*"GET".*job_uuid.*"200"/;
      while ((await sample(polls)) === 0) await new Promise((over) => setTimeout(over, 20));
      service.faults.disable("job.same-id/another-id");
      expect((await runs).get(part)).toMatchObject({ outcome });
      // A job that is open at its deadline is judged once its worker's limit was asked for.
      while ((await sample(SAME_ID)) !== 1) await new Promise((over) => setTimeout(over, 20));
    },
  );

  it(covers("a service that is away is an http_error", "1 probe"), async () => {
    const { probe, service } = await open({ canaries: [canary("success")] });
    await service.close();
    expect((await probe.once()).get("success")?.outcome).toBe("http_error");
  });
});

describe("the server", () => {
  it("shows every metric of the catalogue, counters at 0 before anything happened", async () => {
    const { metrics } = await open({ canaries: [canary("success")] });
    const text = await metrics();
    expect(METRICS.filter(({ name }) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    expect(text).toMatch(/runs_total\{canary="success",outcome="deadline".*\} 0/);
  });

  it("gives exemplars with the job in OpenMetrics, before and after the plain format", async () => {
    const { probe, metrics } = await open({ canaries: [canary("success")] });
    await probe.once();
    const accept = "application/openmetrics-text";
    expect(await metrics(accept)).toMatch(/_bucket.* # \{job_id="job_[0-9a-f]+"\}/);
    expect(await metrics()).toContain("# TYPE plumbline_canary_runs_total counter");
    expect(await metrics(accept)).toContain("plumbline_canary_runs_total{");
  });

  it("shows the canaries as a page without scripts, and as JSON", async () => {
    const { probe } = await open({ canaries: [canary("success")] });
    await probe.once();
    const page = await (await fetch(probe.address)).text();
    expect(page).toContain("The canary passes.");
    expect(page).toContain('<rect class="running"');
    const view = (await (await fetch(`${probe.address}/api/canaries`)).json()) as {
      canaries: { runs: { outcome: string }[] }[];
    };
    expect(view.canaries[0]?.runs.map(({ outcome }) => outcome)).toEqual(["success"]);
  });

  it("asks for the token by everything but health and readiness", async () => {
    const { probe } = await open({ canaries: [canary("success")], bearerToken: "open-sesame" });
    const status = async (path: string, token: string | null) => {
      const headers = token === null ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(probe.address + path, { headers })).status;
    };
    expect(await status("/healthz", null)).toBe(200);
    expect(await status("/readyz", null)).toBe(200);
    expect(await status("/metrics", null)).toBe(401);
    expect(await status("/metrics", "open-sesamf")).toBe(401);
    expect(await status("/metrics", "open-sesame")).toBe(200);
  });
});

describe("the budget", () => {
  it("stops submissions, and says so", async () => {
    const budget = { day: { jobs: 1, credits: null, usd: null }, month: null };
    const probePlan = { ...PROBE_PLAN, rateShare: null, budget };
    const { probe, sample } = await open({
      canaries: [canary("success")],
      target: { probe: probePlan },
    });
    await probe.once();
    expect((await probe.once()).get("success")).toBeNull();
    expect(await sample(/^plumbline_canary_skipped_total.*reason="budget"/)).toBe(1);
    expect(await sample(/^plumbline_budget_left.*span="day".*unit="jobs"/)).toBe(0);
  });
});
