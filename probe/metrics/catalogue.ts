/** Every metric of the probe: name, type, help, labels, buckets. Dashboards read the same list. */

export type MetricType = "counter" | "gauge" | "histogram";

export interface MetricEntry {
  name: string;
  type: MetricType;
  help: string;
  labels: readonly string[];
  /** Upper bounds, for histograms. */
  buckets?: readonly number[];
  /** Labels and buckets of the release before, which a target file may ask for. */
  legacy?: LegacyForm | null;
}

interface LegacyForm {
  labels: readonly string[];
  buckets: readonly number[];
}

/** Ours: from a quick job to one of half an hour, denser where most jobs end. */
const JOB_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600];
/** Ours: an age at a deadline, which the canary sets; what tells is how many have one. */
const AGE_SECONDS = [60, 300, 1800];
/** Ours: widths from a connection's round trip to a deadline. */
const WIDTH_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.55, 1, 2.5, 5, 10, 30, 60, 300];
/** First delivery at once, then after each of the waits of Spec §6 together, with some slack. */
const WEBHOOK_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5.5, 10, 36, 60, 340, 600];
/** Ours: the round trips of an API. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
/** Ours: a start is late by milliseconds, or something is wrong. */
const LAG_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30];

/** In place of a job's state where no poll has shown one. */
export const UNSEEN_STATE = "unseen";

type Described<Type extends MetricType> = Omit<MetricEntry, "name"> & { type: Type };
type Labels = readonly string[];

function counter(labels: Labels, help: string): Described<"counter"> {
  return { type: "counter", help, labels };
}

function gauge(labels: Labels, help: string): Described<"gauge"> {
  return { type: "gauge", help, labels };
}

function histogram(
  labels: Labels,
  buckets: readonly number[],
  help: string,
  legacy: LegacyForm | null = null,
): Described<"histogram"> {
  return { type: "histogram", help, labels, buckets, legacy };
}

const BY_NAME = {
  plumbline_build_info: gauge(
    ["version", "node_version"],
    "Version of the probe and of Node; always 1.",
  ),
  plumbline_canary_runs_total: counter(["canary", "outcome"], "Canary runs by outcome."),
  plumbline_canary_last_run_success: gauge(
    ["canary"],
    "Whether the last run that was settled was a success (1) or not (0).",
  ),
  plumbline_canary_duration_seconds: histogram(
    ["canary"],
    JOB_SECONDS,
    "From the sending of a submission to the verdict on its run, of jobs that were seen to end.",
  ),
  plumbline_canary_last_finished_timestamp_seconds: gauge(
    ["canary"],
    "When the last run was settled; 0 before the first.",
  ),
  plumbline_canary_last_success_timestamp_seconds: gauge(
    ["canary"],
    "When the last successful run was settled; 0 before the first.",
  ),
  plumbline_canary_next_due_timestamp_seconds: gauge(["canary"], "When the next run is due."),
  plumbline_canary_interval_seconds: gauge(["canary"], "Configured interval between two runs."),
  plumbline_canary_deadline_seconds: gauge(["canary"], "Time that a run has to come to its end."),
  plumbline_canary_skipped_total: counter(
    ["canary", "reason"],
    "Runs that were due and not started, by reason.",
  ),
  plumbline_schedule_lag_seconds: histogram([], LAG_SECONDS, "How late runs were started."),
  plumbline_job_transition_seconds: histogram(
    ["worker", "from"],
    JOB_SECONDS,
    "Time in a state before the next one was entered: middle of its two bounds. Not of cancels.",
    { labels: ["worker", "from", "to", "source"], buckets: JOB_SECONDS },
  ),
  plumbline_job_transitions_total: counter(
    ["worker", "from", "to"],
    "Transitions of jobs, cancels included.",
  ),
  plumbline_job_transition_bound_width_seconds: histogram(
    ["source"],
    WIDTH_SECONDS,
    "How far apart the two bounds of a transition are.",
  ),
  plumbline_job_states_unseen_total: counter(
    ["worker", "state"],
    "Jobs that were seen before and after a state they went or may have gone through, never in it.",
  ),
  plumbline_job_censored_age_seconds: histogram(
    ["worker", "state"],
    AGE_SECONDS,
    "Age of jobs whose end was not seen by their deadline, by the state last seen.",
    { labels: ["worker", "state"], buckets: JOB_SECONDS },
  ),
  plumbline_jobs_in_flight: gauge(
    ["canary"],
    "Jobs that are followed and have not been seen in a terminal state.",
  ),
  plumbline_jobs_in_flight_oldest_age_seconds: gauge(
    ["canary"],
    "Age of the oldest job in flight; 0 without any.",
  ),
  plumbline_jobs_terminal_total: counter(
    ["worker", "state"],
    "Jobs by the terminal state that was seen.",
  ),
  plumbline_webhook_delay_seconds: histogram(
    ["worker"],
    WEBHOOK_SECONDS,
    "From a job's end to its webhook: middle of the bounds; the lower if they are 5 s apart.",
  ),
  plumbline_webhook_receiver_listening: gauge(
    [],
    "Whether webhooks can arrive (1); 0 where the receiver died or can't be reached; absent " +
      "where none is asked for.",
  ),
  plumbline_webhook_deliveries_total: counter(
    ["outcome"],
    "Webhook deliveries by outcome; missing: none came in the time of all retries.",
  ),
  plumbline_promise_violations_total: counter(
    ["promise"],
    "Contradictions to a promise of the service, by its id in the catalogue.",
  ),
  plumbline_sli_events_total: counter(
    ["slo", "result"],
    "Events of a service level, good and bad.",
  ),
  plumbline_slo_objective_ratio: gauge(
    ["slo"],
    "Share of good events that a service level is to reach.",
  ),
  plumbline_api_checks_total: counter(
    ["check", "outcome"],
    "Cheap checks of the account, the worker list and the job list, by outcome.",
  ),
  plumbline_api_check_last_run_success: gauge(
    ["check"],
    "Whether the last such check was a success (1) or not (0); NaN before the first.",
  ),
  plumbline_submissions_resolved_total: counter(
    ["how"],
    "Submissions whose answer was lost, by how their job was found.",
  ),
  plumbline_http_response_faults_total: counter(
    ["fault"],
    "Responses of which no run's outcome tells that they were faulty, by what was wrong.",
  ),
  plumbline_http_request_duration_seconds: histogram(
    ["method", "route"],
    REQUEST_SECONDS,
    "From sending a request of the probe to the end of its answer, whatever its status.",
    { labels: ["method", "route", "status"], buckets: REQUEST_SECONDS },
  ),
  plumbline_http_requests_total: counter(
    ["method", "route", "status"],
    "The probe's requests by route template and status; status 0: no whole answer.",
  ),
  plumbline_http_rate_limited_total: counter(
    ["route"],
    "Requests of the probe that were answered 429.",
  ),
  plumbline_http_retry_after_seconds: gauge([], "The wait that the last 429 asked for."),
  plumbline_certificate_expiry_timestamp_seconds: gauge(
    [],
    "When the service's certificate expires, by the newest connection; NaN where none is known.",
  ),
  plumbline_certificate_lifetime_seconds: gauge(
    [],
    "How long this certificate is valid from its first to its last second; NaN likewise.",
  ),
  plumbline_credits_left: gauge([], "Credit balance of the account; NaN where it can't be read."),
  plumbline_spent_jobs_total: counter([], "Jobs of canaries since this process began."),
  plumbline_spent_credits_total: counter(
    [],
    "Credits that canaries cost since this process began: as stated, and estimated until it is.",
  ),
  plumbline_spent_usd_total: counter(
    [],
    "US dollars that canaries cost since this process began: as stated, and estimated until it is.",
  ),
  plumbline_budget_left: gauge(
    ["span", "unit"],
    "What is left of a ceiling; +Inf where there is none.",
  ),
  plumbline_journal_size_bytes: gauge([], "Size of the journal's files."),
  plumbline_journal_writable: gauge(
    [],
    "Whether the journal can be written (1); without it no job is submitted.",
  ),
  plumbline_journal_failures_total: counter(["what"], "What went wrong with the journal."),
  plumbline_jobs_recovered_total: counter(
    [],
    "Jobs that were in flight when an earlier process ended, and are followed again.",
  ),
  plumbline_view_lag_seconds: gauge(
    [],
    "By how much polls may show a job as it was; 0 unless five jobs or more have shown it.",
  ),
  plumbline_clock_timestamp_seconds: gauge(
    [],
    "The probe's own time at the scrape, with which its other times are to be compared.",
  ),
  plumbline_clock_offset_seconds: gauge(
    [],
    "How far the service's clock is ahead: middle of what is possible; NaN while unknown.",
  ),
  plumbline_clock_offset_uncertainty_seconds: gauge(
    [],
    "Half of the span in which the clock offset lies; NaN while unknown.",
  ),
  plumbline_clock_steps_total: counter(
    [],
    "Times that the offset jumped: one of the two clocks was set.",
  ),
  plumbline_clock_wall_steps_total: counter(
    [],
    "Times that the clock of the probe's own machine was set.",
  ),
  plumbline_machine_sleep_seconds_total: counter(
    [],
    "How long the probe's machine slept, so that nothing was watched.",
  ),
  plumbline_config_reloads_total: counter(["result"], "Reloads of the target file by result."),
  plumbline_config_last_reload_success: gauge(
    [],
    "Whether the target file in use is the one on disk (1) or an older one (0).",
  ),
};

/** Of the release before, which a target file may ask for. */
const RETIRED_BY_NAME = {
  plumbline_job_states_missed_total: counter(
    ["worker", "state"],
    "States that jobs went through unseen, each counted with its probability.",
  ),
  plumbline_spent_total: counter(
    ["unit"],
    "What canaries cost since this process began: as stated, and estimated until it is.",
  ),
};

type ByName = typeof BY_NAME & typeof RETIRED_BY_NAME;

export type MetricOf<Type extends MetricType> = {
  [Name in keyof ByName]: ByName[Name]["type"] extends Type ? Name : never;
}[keyof ByName];

function entriesOf(
  byName: Readonly<Record<string, Described<MetricType>>>,
): readonly MetricEntry[] {
  return Object.entries(byName).map(([name, described]) => ({ name, ...described }));
}

export const METRICS = entriesOf(BY_NAME);

const RETIRED = entriesOf(RETIRED_BY_NAME);

/** Old beside new, so that queries can be adapted one by one. */
export const METRICS_LEGACY: readonly MetricEntry[] = [
  ...METRICS.map((entry) => ({ ...entry, ...entry.legacy })),
  ...RETIRED,
];
