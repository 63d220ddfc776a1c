/** What a scrape holds: the golden list, everything at 0 from the start, nothing by the job. */

import { describe, expect, it } from "vitest";
import { METRICS, METRICS_LEGACY } from "../../../probe/metrics/catalogue.ts";
import { createMetrics } from "../../../probe/metrics/registry.ts";
import { statusLabel } from "../../../probe/metrics/status-label.ts";
import { covers } from "../../../tools/robustness/covers.ts";
import { PROBE_PLAN } from "../../gate/base-target.ts";
import { TOOL_MS } from "../../go-tool.ts";
import { canary, open } from "../open-probe.ts";
import { checkMetrics } from "./check-metrics.ts";

/** Name, type and labels: a change here breaks somebody's dashboard, and goes to the changelog. */
const GOLDEN = `
plumbline_build_info gauge version,node_version
plumbline_canary_runs_total counter canary,outcome
plumbline_canary_last_run_success gauge canary
plumbline_canary_duration_seconds histogram canary
plumbline_canary_last_finished_timestamp_seconds gauge canary
plumbline_canary_last_success_timestamp_seconds gauge canary
plumbline_canary_next_due_timestamp_seconds gauge canary
plumbline_canary_interval_seconds gauge canary
plumbline_canary_deadline_seconds gauge canary
plumbline_canary_skipped_total counter canary,reason
plumbline_schedule_lag_seconds histogram
plumbline_job_transition_seconds histogram worker,from
plumbline_job_transitions_total counter worker,from,to
plumbline_job_transition_bound_width_seconds histogram source
plumbline_job_states_unseen_total counter worker,state
plumbline_job_censored_age_seconds histogram worker,state
plumbline_jobs_in_flight gauge canary
plumbline_jobs_in_flight_oldest_age_seconds gauge canary
plumbline_jobs_terminal_total counter worker,state
plumbline_webhook_delay_seconds histogram worker
plumbline_webhook_receiver_listening gauge
plumbline_webhook_deliveries_total counter outcome
plumbline_promise_violations_total counter promise
plumbline_sli_events_total counter slo,result
plumbline_slo_objective_ratio gauge slo
plumbline_api_checks_total counter check,outcome
plumbline_api_check_last_run_success gauge check
plumbline_submissions_resolved_total counter how
plumbline_http_response_faults_total counter fault
plumbline_http_request_duration_seconds histogram method,route
plumbline_http_requests_total counter method,route,status
plumbline_http_rate_limited_total counter route
plumbline_http_retry_after_seconds gauge
plumbline_certificate_expiry_timestamp_seconds gauge
plumbline_certificate_lifetime_seconds gauge
plumbline_credits_left gauge
plumbline_spent_jobs_total counter
plumbline_spent_credits_total counter
plumbline_spent_usd_total counter
plumbline_budget_left gauge span,unit
plumbline_journal_size_bytes gauge
plumbline_journal_writable gauge
plumbline_journal_failures_total counter what
plumbline_jobs_recovered_total counter
plumbline_view_lag_seconds gauge
plumbline_clock_timestamp_seconds gauge
plumbline_clock_offset_seconds gauge
plumbline_clock_offset_uncertainty_seconds gauge
plumbline_clock_steps_total counter
plumbline_clock_wall_steps_total counter
plumbline_machine_sleep_seconds_total counter
plumbline_config_reloads_total counter result
plumbline_config_last_reload_success gauge
`;

describe("the golden list", () => {
  it("is the catalogue", () => {
    const lines = METRICS.map(({ name, type, labels }) =>
      `${name} ${type} ${labels.join(",")}`.trim(),
    );
    expect(lines).toEqual(GOLDEN.trim().split("\n"));
  });

  it("of the form of before has two counters more", () => {
    const names = METRICS.map(({ name }) => name);
    const more = METRICS_LEGACY.map(({ name }) => name).filter((name) => !names.includes(name));
    expect(more).toEqual(["plumbline_job_states_missed_total", "plumbline_spent_total"]);
  });

  it("names seconds and bytes as base units, counters as totals, and no job", () => {
    for (const { name, type, labels } of METRICS) {
      expect(name).toMatch(/^plumbline_[a-z0-9_]+$/);
      expect(name.endsWith("_total")).toBe(type === "counter");
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb)(_|$)/);
      expect(labels.filter((label) => /job|run|token|url|key|path$/.test(label))).toEqual([]);
    }
  });

  it("gives jobs and webhooks the buckets that objectives are about", () => {
    const buckets = (name: string) =>
      METRICS.flatMap((entry) => (entry.name === name ? (entry.buckets ?? []) : []));
    const job = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];
    expect(buckets("plumbline_canary_duration_seconds")).toEqual(job);
    expect(buckets("plumbline_job_transition_seconds")).toEqual(job);
    // The waits of the spec come to 5, 35 and 335 s; each has a bound a little above it.
    for (const seconds of [5, 35, 335]) {
      const above = buckets("plumbline_webhook_delay_seconds").filter((bound) => bound > seconds);
      expect(above[0]).toBeLessThanOrEqual(seconds * 1.1);
    }
  });
});

describe("a live scrape", () => {
  it(
    "passes promtool before and after runs, in the plain format",
    async () => {
      const { probe, metrics } = await open({
        canaries: [canary("success", { webhook: true }), canary("failure")],
      });
      expect(await checkMetrics(await metrics())).toBe("");
      await probe.once();
      expect(await checkMetrics(await metrics())).toBe("");
    },
    TOOL_MS,
  );

  it("promtool does say something against a bad one", async () => {
    expect(await checkMetrics("# TYPE a_total gauge\na_total 1\n")).toContain("_total");
  });

  it("has the label sets of a run at 0 before it, so that rates see its first event", async () => {
    const { probe, metrics } = await open({
      canaries: [canary("success", { webhook: true }), canary("timeout")],
    });
    const before = seriesOf(await metrics());
    const unknown = [...before].filter(([, value]) => Number.isNaN(value));
    expect(unknown.map(([series]) => series.replace(/\{.*/, "")).sort()).toEqual([
      ...Array(4).fill("plumbline_api_check_last_run_success"),
      "plumbline_certificate_expiry_timestamp_seconds",
      "plumbline_certificate_lifetime_seconds",
      "plumbline_clock_offset_seconds",
      "plumbline_clock_offset_uncertainty_seconds",
      "plumbline_credits_left",
    ]);
    expect([...before.keys()].join()).toContain("process_resident_memory_bytes{");
    await probe.once();
    const after = [...seriesOf(await metrics()).keys()].filter((series) => !before.has(series));
    expect(after.filter((series) => series.startsWith("plumbline_"))).toEqual([]);
  });

  it("has at 0 what only other services, or later hours, show", async () => {
    const { metrics } = await open({ canaries: [canary("success")] });
    const series = [...seriesOf(await metrics())];
    for (const [name, labels] of [
      ["_request_duration_seconds_count", 'route="/v1/workers/{worker_id}"'],
      ["_rate_limited_total", 'route="/v1/workers/{worker_id}"'],
      ["_http_requests_total", 'route="/v1/workers/{worker_id}",status="429"'],
      ["_transition_seconds_count", 'from="queued"'],
      ["_transition_seconds_count", 'from="starting"'],
      ["_transitions_total", 'from="queued",to="completed"'],
      ["_transitions_total", 'from="starting",to="completed"'],
    ] as const) {
      const found = series.filter(([each]) => each.includes(name) && each.includes(labels));
      expect([labels, ...new Set(found.map(([, value]) => value))]).toEqual([labels, 0]);
    }
  });

  it(covers("has no more series after more jobs", "47 probe"), async () => {
    const { probe, metrics } = await open({ canaries: [canary("success")] });
    await probe.once();
    // Node's own appear with the first garbage collection of each kind.
    const own = async () =>
      [...seriesOf(await metrics()).keys()].filter((series) => series.startsWith("plumbline_"));
    const after = await own();
    await probe.once();
    expect(await own()).toEqual(after);
  });

  it("has the labels of the release before where the target file asks for them", async () => {
    const { probe, metrics: scrape } = await open({
      target: { probe: { ...PROBE_PLAN, rateShare: null, legacyMetrics: true } },
      canaries: [canary("success", { webhook: true }), canary("timeout")],
    });
    const names = async () =>
      [...seriesOf(await scrape()).keys()].filter((series) => series.startsWith("plumbline_"));
    const before = await names();
    await probe.once();
    const series = [...seriesOf(await scrape())];
    expect((await names()).filter((each) => !before.includes(each))).toEqual([]);
    const sum = (name: string, labels: RegExp) =>
      series
        .filter(([each]) => each.startsWith(name) && labels.test(each))
        .reduce((all, [, value]) => all + value, 0);
    expect(sum("plumbline_spent_total{", /unit="jobs"/)).toBe(2);
    expect(sum("plumbline_spent_total{", /unit="usd"/)).toBe(sum("plumbline_spent_usd_total", /./));
    expect(before.filter((each) => each.startsWith("plumbline_job_states_missed_")).length).toBe(6);
    const job = "plumbline_job_transition_seconds_count";
    expect(sum(job, /worker="echo".*from="running",to="completed",source="\w+"/)).toBe(1);
    expect(sum(job, /./)).toBe(sum("plumbline_job_transitions_total", /./));
    const requests = "plumbline_http_request_duration_seconds_count";
    expect(sum(requests, /status="202"/)).toBe(2);
    expect(sum(requests, /./)).toBe(sum("plumbline_http_requests_total", /./));
    expect(before.join()).toMatch(/censored_age_seconds_bucket\{[^}]*le="15"/);
  });

  it("is valid OpenMetrics with the job as exemplar", async () => {
    const { probe, metrics } = await open({ canaries: [canary("success")] });
    await probe.once();
    const lines = (await metrics("application/openmetrics-text")).split("\n");
    expect(lines.at(-2)).toBe("# EOF");
    // A counter's family has no suffix there, its sample has. OpenMetrics 1.0, 5.1.
    expect(lines).toContain("# TYPE plumbline_canary_runs counter");
    const exemplars = lines.filter((line) => line.includes(" # {"));
    expect(exemplars.length).toBeGreaterThan(3);
    for (const line of exemplars) {
      expect(line).toMatch(/_bucket\{.*\} \d+ # \{job_id="job_[0-9a-f]+"\} [\d.e-]+ [\d.]+$/);
    }
  });

  it("has the location on every line", async () => {
    const { metrics } = await open({ canaries: [canary("success")] });
    for (const series of seriesOf(await metrics()).keys()) {
      expect(series).toContain('location="test"');
    }
  });
});

describe("labels", () => {
  it.each([
    [0, "0"],
    [202, "202"],
    [429, "429"],
    [418, "4xx"],
    [599, "5xx"],
    [999, "other"],
  ])("a status of %d is %s", (status, label) => {
    expect(statusLabel(status)).toBe(label);
  });

  it("a time is told by the machine's clock, which alerts compare it with", async () => {
    const metrics = createMetrics({ location: "here" }, () => 3_600_000, false);
    metrics.setTime("plumbline_canary_next_due_timestamp_seconds", { canary: "main" }, 5_000);
    const { text } = await metrics.scrape("");
    expect(text).toMatch(/next_due_timestamp_seconds\{canary="main".*\} 3605/);
  });

  it("a time is told by the machine's clock of the scrape, though it was set since", async () => {
    let driftMs = 0;
    const metrics = createMetrics({ location: "here" }, () => driftMs, false);
    const finished = "plumbline_canary_last_finished_timestamp_seconds";
    for (const canary of ["main", "gone"]) metrics.setTime(finished, { canary }, 5_000);
    driftMs = -2_000;
    metrics.forgetCanary("gone");
    const { text } = await metrics.scrape("");
    expect(text).toMatch(/last_finished_timestamp_seconds\{canary="main".*\} 3\n/);
    expect(text).not.toContain('canary="gone"');
  });
});

it("a histogram that counts already is not set back where it is asked for again", async () => {
  const metrics = createMetrics({ location: "here" }, () => 0, false);
  const stay = { worker: "echo", from: "queued" };
  metrics.touch("plumbline_job_transition_seconds", stay);
  metrics.record("plumbline_job_transition_seconds", stay, 2);
  metrics.touch("plumbline_job_transition_seconds", stay);
  const { text } = await metrics.scrape("");
  expect(text).toMatch(/^plumbline_job_transition_seconds_count\{.*from="queued".*\} 1$/m);
});

it("a counter of a sum that falls stands still until the sum has made up for it", async () => {
  const metrics = createMetrics({ location: "here" }, () => 0, false);
  const values: (string | undefined)[] = [];
  for (const change of [2, -1.5, 1, 0, 1, 0.25]) {
    metrics.add("plumbline_spent_usd_total", {}, change);
    const { text } = await metrics.scrape("");
    values.push(/^plumbline_spent_usd_total.* ([\d.]+)$/m.exec(text)?.[1]);
  }
  // The sum itself goes 2, 0.5, 1.5, 1.5, 2.5, 2.75.
  expect(values).toEqual(["2", "2", "2", "2", "2.5", "2.75"]);
});

/** Values by series, comments left out. */
function seriesOf(scrape: string): Map<string, number> {
  const lines = scrape.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1).replace("+Inf", "Infinity"))];
    }),
  );
}
