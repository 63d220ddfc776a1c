/** Every metric of the probe: name, type, help, labels, buckets. Dashboards read the same list. */

export type MetricType = "counter" | "gauge" | "histogram";

export interface MetricEntry {
  name: string;
  type: MetricType;
  help: string;
  labels: readonly string[];
  /** Upper bounds, for histograms. */
  buckets?: readonly number[];
}

/** Ours: from a quick job to one of half an hour, denser where most jobs end. */
const JOB_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];
/** Ours: widths from a connection's round trip to a deadline. */
const WIDTH_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.55, 1, 2.5, 5, 10, 30, 60, 300];
/** First delivery at once, then after each of the waits of Spec §6 together, with some slack. */
const WEBHOOK_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5.5, 10, 36, 60, 340, 600];
/** Ours: the round trips of an API. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** Ours: a start is late by milliseconds, or something is wrong. */
const LAG_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30];

/** In place of a job's state where no look has shown one. */
export const UNSEEN_STATE = "unseen";

export const METRICS = [
  {
    name: "plumbline_build_info",
    type: "gauge",
    help: "Version of the probe and of Node; always 1.",
    labels: ["version", "node_version"],
  },
  {
    name: "plumbline_canary_runs_total",
    type: "counter",
    help: "Canary runs by outcome.",
    labels: ["canary", "outcome"],
  },
  {
    name: "plumbline_canary_last_run_success",
    type: "gauge",
    help: "Whether the last run that was settled was a success (1) or not (0).",
    labels: ["canary"],
  },
  {
    name: "plumbline_canary_duration_seconds",
    type: "histogram",
    help: "From the sending of a submission to the verdict on its run.",
    labels: ["canary"],
    buckets: JOB_SECONDS,
  },
  {
    name: "plumbline_canary_last_finished_timestamp_seconds",
    type: "gauge",
    help: "When the last run was settled; 0 before the first.",
    labels: ["canary"],
  },
  {
    name: "plumbline_canary_last_success_timestamp_seconds",
    type: "gauge",
    help: "When the last successful run was settled; 0 before the first.",
    labels: ["canary"],
  },
  {
    name: "plumbline_canary_next_due_timestamp_seconds",
    type: "gauge",
    help: "When the next run is due.",
    labels: ["canary"],
  },
  {
    name: "plumbline_canary_interval_seconds",
    type: "gauge",
    help: "Configured interval between two runs.",
    labels: ["canary"],
  },
  {
    name: "plumbline_canary_deadline_seconds",
    type: "gauge",
    help: "Time that a run has to come to its end.",
    labels: ["canary"],
  },
  {
    name: "plumbline_canary_skipped_total",
    type: "counter",
    help: "Runs that were due and not started, by reason.",
    labels: ["canary", "reason"],
  },
  {
    name: "plumbline_schedule_lag_seconds",
    type: "histogram",
    help: "How late runs were started.",
    labels: [],
    buckets: LAG_SECONDS,
  },
  {
    name: "plumbline_job_transition_seconds",
    type: "histogram",
    help: "Time in a state before the next one was entered: middle of its two bounds.",
    labels: ["worker", "from", "to", "source"],
    buckets: JOB_SECONDS,
  },
  {
    name: "plumbline_job_transition_bound_width_seconds",
    type: "histogram",
    help: "How far apart the two bounds of a transition are.",
    labels: ["source"],
    buckets: WIDTH_SECONDS,
  },
  {
    name: "plumbline_job_states_missed_total",
    type: "counter",
    help: "States that jobs went through unseen, each counted with its probability.",
    labels: ["worker", "state"],
  },
  {
    name: "plumbline_job_censored_age_seconds",
    type: "histogram",
    help: "Age of jobs whose end was not seen by their deadline, by the state last seen.",
    labels: ["worker", "state"],
    buckets: JOB_SECONDS,
  },
  {
    name: "plumbline_jobs_in_flight",
    type: "gauge",
    help: "Jobs that are followed and have not been seen in a terminal state.",
    labels: ["canary"],
  },
  {
    name: "plumbline_jobs_in_flight_oldest_age_seconds",
    type: "gauge",
    help: "Age of the oldest job in flight; 0 without any.",
    labels: ["canary"],
  },
  {
    name: "plumbline_jobs_terminal_total",
    type: "counter",
    help: "Jobs by the terminal state that was seen.",
    labels: ["worker", "state"],
  },
  {
    name: "plumbline_webhook_delay_seconds",
    type: "histogram",
    help: "From a job's end to the receipt of its webhook: middle of its two bounds.",
    labels: ["worker"],
    buckets: WEBHOOK_SECONDS,
  },
  {
    name: "plumbline_webhook_receiver_listening",
    type: "gauge",
    help: "Whether webhooks can arrive (1); 0 where the service can't reach a receiver or it died.",
    labels: [],
  },
  {
    name: "plumbline_webhook_deliveries_total",
    type: "counter",
    help: "Webhook deliveries by outcome; missing: none came in the time of all retries.",
    labels: ["outcome"],
  },
  {
    name: "plumbline_promise_violations_total",
    type: "counter",
    help: "Contradictions to a promise of the service, by its id in the catalogue.",
    labels: ["promise"],
  },
  {
    name: "plumbline_sli_events_total",
    type: "counter",
    help: "Events of a service level, good and bad.",
    labels: ["slo", "result"],
  },
  {
    name: "plumbline_slo_objective_ratio",
    type: "gauge",
    help: "Share of good events that a service level is to reach.",
    labels: ["slo"],
  },
  {
    name: "plumbline_api_checks_total",
    type: "counter",
    help: "Cheap looks at the account and the catalogue, by outcome.",
    labels: ["check", "outcome"],
  },
  {
    name: "plumbline_api_check_last_run_success",
    type: "gauge",
    help: "Whether the last such look was a success (1) or not (0).",
    labels: ["check"],
  },
  {
    name: "plumbline_submissions_resolved_total",
    type: "counter",
    help: "Submissions whose answer was lost, by how their job was found.",
    labels: ["how"],
  },
  {
    name: "plumbline_http_request_duration_seconds",
    type: "histogram",
    help: "The probe's requests by route template and status; status 0: no whole answer.",
    labels: ["method", "route", "status"],
    buckets: REQUEST_SECONDS,
  },
  {
    name: "plumbline_http_rate_limited_total",
    type: "counter",
    help: "Requests of the probe that were answered 429.",
    labels: ["route"],
  },
  {
    name: "plumbline_http_retry_after_seconds",
    type: "gauge",
    help: "The wait that the last 429 asked for.",
    labels: [],
  },
  {
    name: "plumbline_credits_left",
    type: "gauge",
    help: "Credit balance of the account; NaN where it can't be read.",
    labels: [],
  },
  {
    name: "plumbline_spent_total",
    type: "counter",
    help: "What canaries cost since this process began: as stated, and estimated until it is.",
    labels: ["unit"],
  },
  {
    name: "plumbline_budget_left",
    type: "gauge",
    help: "What is left of a ceiling; +Inf where there is none.",
    labels: ["span", "unit"],
  },
  {
    name: "plumbline_journal_size_bytes",
    type: "gauge",
    help: "Size of the journal's files.",
    labels: [],
  },
  {
    name: "plumbline_journal_writable",
    type: "gauge",
    help: "Whether the journal can be written (1); without it no job is submitted.",
    labels: [],
  },
  {
    name: "plumbline_journal_failures_total",
    type: "counter",
    help: "What went wrong with the journal.",
    labels: ["what"],
  },
  {
    name: "plumbline_jobs_recovered_total",
    type: "counter",
    help: "Jobs that were in flight when an earlier process ended, and are followed again.",
    labels: [],
  },
  {
    name: "plumbline_view_lag_seconds",
    type: "gauge",
    help: "By how much polls may show a job as it was; 0 unless five jobs or more have shown it.",
    labels: [],
  },
  {
    name: "plumbline_clock_offset_seconds",
    type: "gauge",
    help: "How far the service's clock is ahead: middle of what is possible; NaN while unknown.",
    labels: [],
  },
  {
    name: "plumbline_clock_offset_uncertainty_seconds",
    type: "gauge",
    help: "Half of the span in which the clock offset lies; NaN while unknown.",
    labels: [],
  },
  {
    name: "plumbline_clock_steps_total",
    type: "counter",
    help: "Times that the offset jumped: one of the two clocks was set.",
    labels: [],
  },
  {
    name: "plumbline_clock_wall_steps_total",
    type: "counter",
    help: "Times that the clock of the probe's own machine was set.",
    labels: [],
  },
  {
    name: "plumbline_machine_sleep_seconds_total",
    type: "counter",
    help: "How long the probe's machine slept, so that nothing was watched.",
    labels: [],
  },
  {
    name: "plumbline_config_reloads_total",
    type: "counter",
    help: "Reloads of the target file by result.",
    labels: ["result"],
  },
  {
    name: "plumbline_config_last_reload_success",
    type: "gauge",
    help: "Whether the target file in use is the one on disk (1) or an older one (0).",
    labels: [],
  },
] as const satisfies readonly MetricEntry[];

export type MetricOf<Type extends MetricType> = Extract<
  (typeof METRICS)[number],
  { type: Type }
>["name"];
