/** A probe with nothing to complain of, as series over time; rule tests are differences to it. */

/** Value at a minute since the start; null: no sample; "stale": the series has ended. */
export type Course = (minute: number) => number | "stale" | null;
export type Courses = Readonly<Record<string, Course>>;

/** Times something that happens once a minute has happened between two minutes. */
export function times(minute: number, from: number, to = Number.POSITIVE_INFINITY): number {
  return Math.max(0, Math.min(Math.floor(minute), to) - from);
}

export const PROBE = 'job="plumbline",instance="probe:9464"';

/** A series of the probe, with the labels that every one of its scrapes has. */
export function at(name: string, labels = "", location = "home"): string {
  return `${name}{${[PROBE, `location="${location}"`, labels].filter(Boolean).join(",")}}`;
}

const constant =
  (value: number): Course =>
  () =>
    value;
const everyMinute: Course = (minute) => times(minute, 0);

export const CANARY = 'canary="main"';

export const run = (outcome: string) =>
  at("plumbline_canary_runs_total", `${CANARY},outcome="${outcome}"`);
export const events = (slo: string, result: string) =>
  at("plumbline_sli_events_total", `slo="${slo}",result="${result}"`);
export const violated = (promise: string) =>
  at("plumbline_promise_violations_total", `promise="${promise}"`);

/** Histogram of events once a minute, all within the bound. */
export function histogram(name: string, labels: string, bound: string): Courses {
  return {
    [at(`${name}_bucket`, `${labels}le="${bound}"`)]: everyMinute,
    [at(`${name}_bucket`, `${labels}le="+Inf"`)]: everyMinute,
    [at(`${name}_count`, labels.replace(/,$/, ""))]: everyMinute,
  };
}

const QUEUED = 'worker="echo",from="queued",';
const CANCELLED = 'worker="sleep",from="queued",to="cancelled",source="poll"';

export const TIMES = {
  "queue-wait": ["plumbline_job_transition_seconds", QUEUED, "10.0"],
  "job-duration": ["plumbline_canary_duration_seconds", `${CANARY},`, "30.0"],
  "webhook-delay": ["plumbline_webhook_delay_seconds", 'worker="echo",', "10.0"],
} as const;

export const HEALTHY: Courses = {
  [`up{${PROBE}}`]: constant(1),
  [at("plumbline_build_info", 'version="1",node_version="24"')]: constant(1),
  [at("process_start_time_seconds")]: constant(-86_400),
  [at("plumbline_clock_timestamp_seconds")]: (minute) => minute * 60,
  [at("nodejs_eventloop_lag_p99_seconds")]: constant(0.02),
  ...histogram("plumbline_schedule_lag_seconds", "", "0.01"),
  [at("plumbline_canary_interval_seconds", CANARY)]: constant(60),
  [at("plumbline_canary_deadline_seconds", CANARY)]: constant(60),
  [at("plumbline_canary_last_run_success", CANARY)]: constant(1),
  [at("plumbline_canary_last_success_timestamp_seconds", CANARY)]: (minute) =>
    Math.floor(minute) * 60,
  [at("plumbline_canary_next_due_timestamp_seconds", CANARY)]: (minute) =>
    (Math.floor(minute) + 1) * 60,
  [run("success")]: everyMinute,
  [run("deadline")]: constant(0),
  [run("http_error")]: constant(0),
  [run("credits")]: constant(0),
  [run("auth")]: constant(0),
  [events("canary-success", "good")]: everyMinute,
  [events("canary-success", "bad")]: constant(0),
  [events("api-available", "good")]: everyMinute,
  [events("api-available", "bad")]: constant(0),
  [events("webhook-delivered", "good")]: everyMinute,
  [events("webhook-delivered", "bad")]: constant(0),
  ...objectives("canary-success", "api-available", "webhook-delivered"),
  ...histogram(...TIMES["queue-wait"]),
  // Of a probe with metrics of the legacy form: what the caller cancelled waited for no service.
  [at("plumbline_job_transition_seconds_count", CANCELLED)]: everyMinute,
  [at("plumbline_job_transition_seconds_bucket", `${CANCELLED},le="10.0"`)]: constant(0),
  ...histogram(...TIMES["job-duration"]),
  ...histogram(...TIMES["webhook-delay"]),
  [at("plumbline_job_censored_age_seconds_count", 'worker="echo",state="queued"')]: constant(0),
  [violated("job.shape")]: constant(0),
  [violated("timeout.free")]: constant(0),
  [violated("webhook.delivered")]: constant(0),
  [violated("rate.retry-after-present")]: constant(0),
  [at("plumbline_webhook_deliveries_total", 'outcome="missing"')]: constant(0),
  [at("plumbline_webhook_receiver_listening")]: constant(1),
  [at("plumbline_http_rate_limited_total", 'route="/v1/me"')]: constant(0),
  [at("plumbline_credits_left")]: constant(100_000),
  [at("plumbline_certificate_expiry_timestamp_seconds")]: constant(60 * 86_400),
  [at("plumbline_certificate_lifetime_seconds")]: constant(90 * 86_400),
  [at("plumbline_spent_credits_total")]: (minute) => times(minute, 0) / 10,
  [at("plumbline_spent_jobs_total")]: everyMinute,
  [at("plumbline_budget_left", 'span="day",unit="jobs"')]: constant(1_728),
  [at("plumbline_budget_left", 'span="month",unit="jobs"')]: constant(53_568),
  [at("plumbline_budget_left", 'span="month",unit="credits"')]: constant(Number.POSITIVE_INFINITY),
  [at("plumbline_canary_skipped_total", `${CANARY},reason="budget"`)]: constant(0),
  [at("plumbline_journal_writable")]: constant(1),
  [at("plumbline_journal_failures_total", 'what="write"')]: constant(0),
  [at("plumbline_config_last_reload_success")]: constant(1),
};

function objectives(...slos: readonly string[]): Courses {
  return Object.fromEntries(
    slos.map((slo) => [at("plumbline_slo_objective_ratio", `slo="${slo}"`), constant(0.995)]),
  );
}

/** The canary alone, at an interval in minutes: its runs end in turn with these outcomes. */
export function seldom(everyMinutes: number, outcomes: readonly string[]): Courses {
  const ended = (minute: number) => outcomes.slice(0, Math.floor(minute / everyMinutes));
  const counts = ["success", ...new Set(outcomes)].map((outcome) => [
    run(outcome),
    (minute: number) => ended(minute).filter((each) => each === outcome).length,
  ]);
  return {
    ...Object.fromEntries(counts),
    [at("plumbline_canary_interval_seconds", CANARY)]: constant(everyMinutes * 60),
    [at("plumbline_canary_last_run_success", CANARY)]: (minute) =>
      ended(minute).at(-1) === "success" ? 1 : 0,
    [at("plumbline_canary_last_success_timestamp_seconds", CANARY)]: (minute) =>
      (ended(minute).lastIndexOf("success") + 1) * everyMinutes * 60,
  };
}

/** Counter that rises by one at each of these minutes. */
export const risesAt =
  (...minutes: readonly number[]) =>
  (minute: number) =>
    minutes.filter((each) => minute >= each).length;

/** A value between two minutes, and another before and after. */
export const during =
  (from: number, to: number, value: number, other: number) => (minute: number) =>
    minute >= from && minute < to ? value : other;
