/** Label sets known beforehand start at 0: a rate can't see the first increment of none. */

import { UNITS } from "../../contract/limits/budget.ts";
import { PROMISE_IDS } from "../../contract/promises.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import type { EndState, State } from "../../contract/states.ts";
import { END_STATES } from "../../contract/states.ts";
import { SOURCES } from "../../contract/timeline/transitions.ts";
import type { Canary } from "../canary/canary.ts";
import type { ServiceLevel } from "../canary/service-levels.ts";
import { SERVICE_LEVELS } from "../canary/service-levels.ts";
import {
  ANSWER_FAULTS,
  API_CHECKS,
  DELIVERY_OUTCOMES,
  JOURNAL_FAILURES,
  RESOLUTIONS,
  SKIP_REASONS,
} from "../events.ts";
import type { Outcome } from "../outcome.ts";
import { OUTCOMES } from "../outcome.ts";
import { UNSEEN_STATE } from "./catalogue.ts";
import { durationLabels, stayLabels } from "./forms.ts";
import type { Metrics } from "./registry.ts";
import { statusLabel } from "./status-label.ts";

/** States between acceptance and end. Spec §3.1. */
const UNDER_WAY = ["queued", "starting", "running"] as const;
/** A job is accepted into the first of them, so that polls can't pass over it. */
const MISSABLE = UNDER_WAY.slice(1);
/** Routes that the probe asks. */
const ROUTES_ASKED: readonly RouteName[] = [
  "me",
  "credits",
  "workers",
  "worker",
  "submit",
  "job",
  "jobs",
];

/** What answers the probe's requests day by day, and what on-call looks for first. Spec §7. */
const STATUSES_EXPECTED = [0, 401, 402, 404, 429, 500] as const;
/** Outcomes that a check without a job can have. */
const CHECK_OUTCOMES: readonly Outcome[] = [
  "success",
  "wrong_result",
  "http_error",
  "rate_limited",
  "auth",
  "credits",
  "probe_error",
];

/** Families of one label, whose values are all known. */
const ALONE = [
  ["plumbline_promise_violations_total", "promise", PROMISE_IDS],
  ["plumbline_webhook_deliveries_total", "outcome", DELIVERY_OUTCOMES],
  ["plumbline_http_response_faults_total", "fault", ANSWER_FAULTS],
  ["plumbline_submissions_resolved_total", "how", RESOLUTIONS],
  ["plumbline_journal_failures_total", "what", JOURNAL_FAILURES],
  ["plumbline_job_transition_bound_width_seconds", "source", SOURCES],
] as const;

export interface Facts {
  version: string;
  /** The method that cancels a job; null where none is known. */
  cancelMethod: string | null;
}

export function initialiseMetrics(metrics: Metrics, { version, cancelMethod }: Facts): void {
  metrics.set("plumbline_view_lag_seconds", {}, 0);
  metrics.set("plumbline_build_info", { version, node_version: process.versions.node }, 1);
  for (const [family, label, values] of ALONE) {
    for (const value of values) metrics.touch(family, { [label]: value });
  }
  if (metrics.isLegacy) {
    for (const unit of UNITS) metrics.touch("plumbline_spent_total", { unit });
  }
  initialiseRequests(metrics, cancelMethod);
  for (const check of API_CHECKS) {
    for (const outcome of CHECK_OUTCOMES) {
      metrics.touch("plumbline_api_checks_total", { check, outcome });
    }
    metrics.set("plumbline_api_check_last_run_success", { check }, Number.NaN);
  }
  for (const result of ["success", "failure"]) {
    metrics.touch("plumbline_config_reloads_total", { result });
  }
  metrics.set("plumbline_config_last_reload_success", {}, 1);
  for (const slo of SERVICE_LEVELS) {
    for (const result of ["good", "bad"]) {
      metrics.touch("plumbline_sli_events_total", { slo, result });
    }
  }
  for (const name of ["offset", "offset_uncertainty"] as const) {
    metrics.set(`plumbline_clock_${name}_seconds`, {}, Number.NaN);
  }
  metrics.set("plumbline_credits_left", {}, Number.NaN);
  for (const name of ["expiry_timestamp", "lifetime"] as const) {
    metrics.set(`plumbline_certificate_${name}_seconds`, {}, Number.NaN);
  }
}

function initialiseRequests(metrics: Metrics, cancelMethod: string | null): void {
  for (const name of ROUTES_ASKED) {
    const route = ROUTES[name];
    metrics.touch("plumbline_http_rate_limited_total", { route });
    touchRequests(
      metrics,
      name === "submit" ? "POST" : "GET",
      route,
      name === "submit" ? 202 : 200,
    );
  }
  if (cancelMethod !== null) touchRequests(metrics, cancelMethod, ROUTES.job, 200);
}

function touchRequests(metrics: Metrics, method: string, route: string, success: number): void {
  for (const status of [success, ...STATUSES_EXPECTED]) {
    const request = { method, route, status: statusLabel(status) };
    metrics.touch("plumbline_http_requests_total", request);
    const labels = durationLabels(metrics.isLegacy, request);
    metrics.touch("plumbline_http_request_duration_seconds", labels);
  }
}

export function initialiseCanaries(metrics: Metrics, canaries: readonly Canary[]): void {
  for (const { name: canary, workerId: worker, expected } of canaries) {
    for (const outcome of OUTCOMES) {
      metrics.touch("plumbline_canary_runs_total", { canary, outcome });
    }
    for (const reason of SKIP_REASONS) {
      metrics.touch("plumbline_canary_skipped_total", { canary, reason });
    }
    for (const state of END_STATES)
      metrics.touch("plumbline_jobs_terminal_total", { worker, state });
    for (const state of MISSABLE) {
      metrics.touch("plumbline_job_states_unseen_total", { worker, state });
    }
    for (const state of UNDER_WAY) {
      metrics.touch("plumbline_job_censored_age_seconds", { worker, state });
      if (metrics.isLegacy) metrics.touch("plumbline_job_states_missed_total", { worker, state });
    }
    metrics.touch("plumbline_job_censored_age_seconds", { worker, state: UNSEEN_STATE });
    for (const [from, to] of expectedSteps(expected)) {
      metrics.touch("plumbline_job_transitions_total", { worker, from, to });
      for (const source of SOURCES) {
        const labels = stayLabels(metrics.isLegacy, { worker, from, to }, source);
        if (labels !== null) metrics.touch("plumbline_job_transition_seconds", labels);
      }
    }
    metrics.touch("plumbline_canary_duration_seconds", { canary });
    metrics.touch("plumbline_webhook_delay_seconds", { worker });
  }
}

/** What is configured of a canary; `isNew`: nothing is known yet of how it fares. */
export function showCanary(metrics: Metrics, canary: Canary, isNew: boolean): void {
  const labels = { canary: canary.name };
  metrics.set("plumbline_canary_interval_seconds", labels, canary.everyMs / 1_000);
  metrics.set("plumbline_canary_deadline_seconds", labels, canary.deadlineMs / 1_000);
  if (!isNew) return;
  metrics.set("plumbline_canary_last_run_success", labels, 0);
  metrics.set("plumbline_canary_last_finished_timestamp_seconds", labels, 0);
  metrics.set("plumbline_canary_last_success_timestamp_seconds", labels, 0);
}

/**
 * Transitions of a job that fares as it should, in either variant, also where polls miss a state
 * and the service states no times. Spec §3.1.
 */
function expectedSteps(expected: EndState): readonly (readonly [State, State])[] {
  if (expected === "cancelled") return [["queued", "cancelled"]];
  return [
    ["queued", "starting"],
    ["queued", "running"],
    ["starting", "running"],
    ["queued", expected],
    ["starting", expected],
    ["running", expected],
  ];
}

export function initialiseObjectives(
  metrics: Metrics,
  objectives: ReadonlyMap<ServiceLevel, number>,
): void {
  for (const [slo, percent] of objectives) {
    metrics.set("plumbline_slo_objective_ratio", { slo }, percent / 100);
  }
}
