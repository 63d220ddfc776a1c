/** The board on a job's life: which step is slow, which goes wrong, what hangs. */

import { bars, heatmap, lines, row, stat } from "./kinds.ts";
import type { Board } from "./panel.ts";
import { sectionLink } from "./panel.ts";
import {
  buckets,
  CANARY,
  events,
  eventsOfHour,
  eventsShown,
  ofCanary,
  PROBE,
  quantile,
  ratio,
  violations,
  WORKER,
} from "./selectors.ts";

const TRANSITION = "plumbline_job_transition_seconds";
const RUNS = "plumbline_canary_runs_total";
const FAILED = "wrong_state|wrong_result|deadline|http_error";
/** Metrics of the legacy form, and samples of before, have the stays that a cancel ended. */
const NOT_CANCELLED = `${WORKER},to!="cancelled"`;
const QUEUED = `${NOT_CANCELLED},from="queued"`;
const RUNNING = `${NOT_CANCELLED},from="running"`;

const life = row("Now", [
  stat(
    "Failed runs, last hour",
    "Share of canary runs that failed. Runs without a verdict on the service are left out.",
    ratio(
      eventsOfHour(`${RUNS}{${CANARY},outcome=~"${FAILED}"}`),
      eventsOfHour(`${RUNS}{${CANARY},outcome=~"success|${FAILED}"}`),
    ),
    {
      unit: "percentunit",
      width: 6,
      steps: ["green", [0.005, "yellow"], [0.05, "red"]],
      noValue: "no runs",
      decimals: 1,
    },
  ),
  stat(
    "Jobs in flight",
    "Jobs that the probe follows and that have not ended yet.",
    `sum(plumbline_jobs_in_flight{${CANARY}})`,
    { width: 6, steps: ["green"] },
  ),
  stat(
    "Oldest job in flight, share of deadline",
    "Age of the oldest job as a share of its canary's deadline. Above 100 % it is late.",
    [
      `max(${ofCanary("plumbline_jobs_in_flight_oldest_age_seconds")}`,
      `/ ${ofCanary("plumbline_canary_deadline_seconds")})`,
    ].join(" "),
    { unit: "percentunit", width: 6, steps: ["green", [0.8, "yellow"], [1, "red"]], decimals: 0 },
  ),
  stat(
    "Charged timeouts, in the time range",
    `Jobs that timed out and were charged. There must be none (${sectionLink("1.4")}).`,
    eventsShown(violations('="timeout.free"')),
    { width: 6, steps: ["green", [0.5, "red"]], decimals: 0 },
  ),
]);

const red = row("Rate, errors, duration", [
  bars("Jobs ended, by state", "Jobs of the canaries, by the terminal state that they reached.", {
    "{{state}}": events(`plumbline_jobs_terminal_total{${WORKER}}`, "state"),
  }),
  lines(
    "From submission to verdict",
    "Duration of canary runs: median and 90th percentile. Failed runs count as well.",
    {
      "{{canary}} median": quantile(0.5, "plumbline_canary_duration_seconds", CANARY, "canary"),
      "{{canary}} 90 %": quantile(0.9, "plumbline_canary_duration_seconds", CANARY, "canary"),
    },
    { interval: "2m" },
  ),
]);

const transitions = row("States", [
  heatmap(
    "Queue wait",
    "Jobs by their time in the queue. A second band above the first is a backlog.",
    { "{{le}}": buckets(TRANSITION, QUEUED) },
  ),
  heatmap("Running", "Jobs by their run time. Workers of different speed show as bands.", {
    "{{le}}": buckets(TRANSITION, RUNNING),
  }),
  lines(
    "Queue wait by worker",
    "Median and 90th percentile of the time in the queue. Dashed: uncertainty of the " +
      "measurement, 90th percentile. Differences below it mean nothing.",
    {
      "{{worker}} median": quantile(0.5, TRANSITION, QUEUED, "worker"),
      "{{worker}} 90 %": quantile(0.9, TRANSITION, QUEUED, "worker"),
      "uncertain by": quantile(0.9, "plumbline_job_transition_bound_width_seconds", PROBE),
    },
    { dashed: "uncertain by", interval: "2m" },
  ),
  lines(
    "Time in each state, 90 %",
    "90 % of stays were shorter; those that a cancel ended are left out. The line that rose is " +
      "the slow step.",
    { "{{from}}": quantile(0.9, TRANSITION, NOT_CANCELLED, "from") },
    { interval: "2m" },
  ),
  bars(
    "Transitions",
    "Changes of state, as polls, webhooks and the service's own times show them. From queued to " +
      "an end at once: nothing shows when the job ran, and its run time counts as queue wait.",
    { "{{from}} to {{to}}": events(`plumbline_job_transitions_total{${WORKER}}`, "from, to") },
    { width: 24 },
  ),
]);

const trouble = row("Stuck jobs", [
  lines(
    "Oldest job in flight",
    "Age of the oldest job of each canary. Dashed: its deadline. A sawtooth is healthy.",
    {
      "{{canary}}": `max by (canary) (plumbline_jobs_in_flight_oldest_age_seconds{${CANARY}})`,
      "{{canary}} deadline": `max by (canary) (plumbline_canary_deadline_seconds{${CANARY}})`,
    },
    { dashed: ".* deadline" },
  ),
  bars(
    "Jobs past their deadline, by last state",
    "Jobs that had not ended by their deadline. Queued: a backlog. Running: a slow worker.",
    { "{{state}}": events(`plumbline_job_censored_age_seconds_count{${WORKER}}`, "state") },
  ),
  bars(
    "Timeouts",
    "Jobs that the service timed out. A canary that expects a timeout makes a steady row. More " +
      "than that: workers hang.",
    { "{{worker}}": events(`plumbline_jobs_terminal_total{${WORKER},state="timeout"}`, "worker") },
  ),
  bars(
    "States that polls missed",
    "Jobs that were seen before and after a state, not in it. As many as all jobs: the state is " +
      "short, or the service leaves it out. Many: times of its neighbours are less certain.",
    { "{{state}}": events(`plumbline_job_states_unseen_total{${WORKER}}`, "state") },
  ),
]);

export const JOBS: Board = {
  id: "jobs",
  title: "Plumbline / Jobs",
  description:
    "A job's life step by step: rate, errors, duration, queue wait, timeouts, stuck jobs.",
  variables: ["job", "service", "environment", "location", "instance", "canary", "worker"],
  from: "now-6h",
  rows: [life, red, transitions, trouble],
};
