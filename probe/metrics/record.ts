/** What each event does to the metrics. */

import { UNITS } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import type { Interval } from "../../contract/timeline/interval.ts";
import { middleMs, widthMs } from "../../contract/timeline/interval.ts";
import type { Transition } from "../../contract/timeline/transitions.ts";
import type { ProbeEvent, RunFacts, Settled } from "../events.ts";
import { UNSEEN_STATE } from "./catalogue.ts";
import { durationLabels, stayLabels } from "./forms.ts";
import type { Metrics } from "./registry.ts";
import { statusLabel } from "./status-label.ts";

type Recorders = {
  [Type in ProbeEvent["type"]]: (metrics: Metrics, event: ProbeEvent & { type: Type }) => void;
};

/** Events that stand in the log and on the status page only. */
const nothing = () => {};

const RECORDERS: Recorders = {
  "run-planned": (metrics, { canary, nextDueMs }) =>
    metrics.setTime("plumbline_canary_next_due_timestamp_seconds", { canary }, nextDueMs),
  "run-due": (metrics, { canary, lagMs, nextDueMs }) => {
    metrics.record("plumbline_schedule_lag_seconds", {}, lagMs / 1_000);
    metrics.setTime("plumbline_canary_next_due_timestamp_seconds", { canary }, nextDueMs);
  },
  "run-skipped": (metrics, { canary, reason, count }) =>
    metrics.increment("plumbline_canary_skipped_total", { canary, reason }, count),
  "run-started": nothing,
  "run-accepted": nothing,
  "run-recovered": (metrics) => metrics.increment("plumbline_jobs_recovered_total"),
  spent: (metrics, { change }) => {
    for (const unit of UNITS) {
      metrics.add(`plumbline_spent_${unit}_total`, {}, change[unit]);
      if (metrics.isLegacy) metrics.add("plumbline_spent_total", { unit }, change[unit]);
    }
  },
  "run-remembered": (metrics, { run, settled }) => recordLast(metrics, run, settled),
  "run-settled": (metrics, { run, settled }) => {
    recordSettled(metrics, run, settled);
    recordCensored(metrics, run, settled);
  },
  transition: (metrics, { run, transition }) => recordTransition(metrics, run, transition),
  missed: (metrics, { run, missed }) => {
    const labels = { worker: run.workerId, state: missed.state };
    metrics.increment("plumbline_job_states_unseen_total", labels);
    if (!metrics.isLegacy) return;
    metrics.increment("plumbline_job_states_missed_total", labels, missed.probability);
  },
  terminal: (metrics, { run, state }) =>
    metrics.increment("plumbline_jobs_terminal_total", { worker: run.workerId, state }),
  delivery: (metrics, { run, outcome, delay }) => {
    metrics.increment("plumbline_webhook_deliveries_total", { outcome });
    recordDelay(metrics, run, delay);
  },
  resolved: (metrics, { how }) =>
    metrics.increment("plumbline_submissions_resolved_total", { how }),
  violation: (metrics, { promise }) =>
    metrics.increment("plumbline_promise_violations_total", { promise }),
  "service-level": (metrics, { level, good }) => {
    const result = good ? "good" : "bad";
    metrics.increment("plumbline_sli_events_total", { slo: level, result });
  },
  request: (metrics, { exchange, retryAfterMs }) => recordRequest(metrics, exchange, retryAfterMs),
  "view-lag": (metrics, { lagMs }) => metrics.set("plumbline_view_lag_seconds", {}, lagMs / 1_000),
  "clock-offset": (metrics, { offset, steps }) => recordOffset(metrics, offset, steps),
  credits: (metrics, { left }) => metrics.set("plumbline_credits_left", {}, left),
  certificate: (metrics, { of, validity: { fromMs, untilMs } }) => {
    if (of !== "service") return;
    metrics.set("plumbline_certificate_expiry_timestamp_seconds", {}, untilMs / 1_000);
    metrics.set("plumbline_certificate_lifetime_seconds", {}, (untilMs - fromMs) / 1_000);
  },
  "api-check": (metrics, { check, outcome }) => {
    metrics.increment("plumbline_api_checks_total", { check, outcome });
    const success = outcome === "success" ? 1 : 0;
    metrics.set("plumbline_api_check_last_run_success", { check }, success);
  },
  disturbance: (metrics, { sleptMs, steppedMs }) => {
    metrics.increment("plumbline_machine_sleep_seconds_total", {}, sleptMs / 1_000);
    metrics.increment("plumbline_clock_wall_steps_total", {}, steppedMs === 0 ? 0 : 1);
  },
  receiver: (metrics, { listening }) =>
    metrics.set("plumbline_webhook_receiver_listening", {}, listening ? 1 : 0),
  "journal-failed": (metrics, { what }) =>
    metrics.increment("plumbline_journal_failures_total", { what }),
  "answer-fault": (metrics, { what }) =>
    metrics.increment("plumbline_http_response_faults_total", { fault: what }),
  "journal-recovered": nothing,
  "journal-tightened": nothing,
  reload: (metrics, { ok }) => {
    const result = ok ? "success" : "failure";
    metrics.increment("plumbline_config_reloads_total", { result });
    metrics.set("plumbline_config_last_reload_success", {}, ok ? 1 : 0);
  },
};

export function recordEvent(metrics: Metrics, event: ProbeEvent): void {
  const record = RECORDERS[event.type] as (metrics: Metrics, event: ProbeEvent) => void;
  record(metrics, event);
}

function recordSettled(metrics: Metrics, { canary, jobId }: RunFacts, settled: Settled): void {
  const { outcome, end, submittedAtMs, settledAtMs, timed } = settled;
  metrics.increment("plumbline_canary_runs_total", { canary, outcome });
  recordLast(metrics, { canary }, settled);
  // How many never ended is another figure; here it would page beside the one that says so.
  if (timed && end !== null) {
    const seconds = (settledAtMs - submittedAtMs) / 1_000;
    metrics.record("plumbline_canary_duration_seconds", { canary }, seconds, jobId);
  }
}

/** Gauges that outlive the process: silence after a restart must not look like an outage. */
function recordLast(
  metrics: Metrics,
  { canary }: Pick<RunFacts, "canary">,
  { outcome, settledAtMs }: Settled,
): void {
  const success = outcome === "success";
  metrics.set("plumbline_canary_last_run_success", { canary }, success ? 1 : 0);
  metrics.setTime("plumbline_canary_last_finished_timestamp_seconds", { canary }, settledAtMs);
  if (!success) return;
  metrics.setTime("plumbline_canary_last_success_timestamp_seconds", { canary }, settledAtMs);
}

/** A job that has not ended is told by its age: leaving it out would make a backlog look fast. */
function recordCensored(metrics: Metrics, { workerId, jobId }: RunFacts, settled: Settled): void {
  const { end, timed, stays, submittedAtMs, settledAtMs } = settled;
  if (jobId === null || end !== null || !timed) return;
  // Of a job that no poll has shown nobody knows whether it still waits.
  const labels = { worker: workerId, state: stays.at(-1)?.state ?? UNSEEN_STATE };
  const seconds = (settledAtMs - submittedAtMs) / 1_000;
  metrics.record("plumbline_job_censored_age_seconds", labels, seconds, jobId);
}

function recordTransition(metrics: Metrics, run: RunFacts, transition: Transition): void {
  const { from, to, source, stay, at, acrossGap } = transition;
  // Downtime of the probe is no latency of the service.
  if (acrossGap) return;
  const step = { worker: run.workerId, from, to };
  metrics.increment("plumbline_job_transitions_total", step);
  const labels = stayLabels(metrics.isLegacy, step, source);
  if (labels !== null) {
    const seconds = middleMs(stay) / 1_000;
    metrics.record("plumbline_job_transition_seconds", labels, seconds, run.jobId);
  }
  const width = widthMs(at) / 1_000;
  metrics.record("plumbline_job_transition_bound_width_seconds", { source }, width, run.jobId);
}

/** Ours: half of it is well below any bound that webhooks are held to. */
const DELAY_WIDTH_MS = 5_000;

/**
 * A webhook that is the first to tell of its job's end came at once, or as late as the last poll is
 * ago: the middle would make it late by half of that. It counts by what it is late at least; were
 * it left out, late ones, whose polls tell more, would weigh too much.
 */
function recordDelay(metrics: Metrics, run: RunFacts | null, delay: Interval | null): void {
  if (run === null || delay === null) return;
  const ms = widthMs(delay) > DELAY_WIDTH_MS ? delay.lowMs : middleMs(delay);
  const labels = { worker: run.workerId };
  metrics.record("plumbline_webhook_delay_seconds", labels, ms / 1_000, run.jobId);
}

function recordRequest(metrics: Metrics, exchange: Exchange, retryAfterMs: number | null): void {
  const { method, status, sentAtMs, receivedAtMs } = exchange;
  const route = ROUTES[exchange.route];
  const request = { method, route, status: statusLabel(status) };
  metrics.increment("plumbline_http_requests_total", request);
  const labels = durationLabels(metrics.isLegacy, request);
  const seconds = (receivedAtMs - sentAtMs) / 1_000;
  metrics.record("plumbline_http_request_duration_seconds", labels, seconds);
  if (status === 429) metrics.increment("plumbline_http_rate_limited_total", { route });
  if (retryAfterMs !== null) {
    metrics.set("plumbline_http_retry_after_seconds", {}, retryAfterMs / 1_000);
  }
}

function recordOffset(metrics: Metrics, offset: Interval | null, steps: number): void {
  const centre = offset === null ? Number.NaN : middleMs(offset) / 1_000;
  const uncertainty = offset === null ? Number.NaN : widthMs(offset) / 2_000;
  metrics.set("plumbline_clock_offset_seconds", {}, centre);
  metrics.set("plumbline_clock_offset_uncertainty_seconds", {}, uncertainty);
  if (steps > 0) metrics.increment("plumbline_clock_steps_total", {}, steps);
}
