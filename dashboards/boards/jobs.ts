/** The board on a job's life: which step is slow, which goes wrong, what hangs. */

import { bars, heatmap, lines, row, stat } from "./kinds.ts";
import type { Board } from "./panel.ts";
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
const QUEUED = `${WORKER},from="queued",to!="cancelled"`;
const RUNNING = `${WORKER},from="running"`;

const life = row("Now", [
  stat(
    "Runs that failed, last hour",
    "Share of the runs which speak of the service that ended wrongly, late or not.",
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
    "Jobs that are followed and have not been seen to end.",
    `sum(plumbline_jobs_in_flight{${CANARY}})`,
    { width: 6, steps: ["green"] },
  ),
  stat(
    "Oldest job in flight, of its deadline",
    "Age of the oldest job as a share of what its canary allows. Above 100 % it is late.",
    [
      `max(${ofCanary("plumbline_jobs_in_flight_oldest_age_seconds")}`,
      `/ ${ofCanary("plumbline_canary_deadline_seconds")})`,
    ].join(" "),
    { unit: "percentunit", width: 6, steps: ["green", [0.8, "yellow"], [1, "red"]], decimals: 0 },
  ),
  stat(
    "Timeouts charged, in the time range",
    "Jobs that ended as timeouts and cost something. Promised is none (§1.4).",
    eventsShown(violations('="timeout.free"')),
    { width: 6, steps: ["green", [0.5, "red"]], decimals: 0 },
  ),
]);

const red = row("Rate, errors, duration", [
  bars(
    "Jobs ended, by state",
    "How many jobs of the canaries were seen to end, and how.",
    { "{{state}}": events(`plumbline_jobs_terminal_total{${WORKER}}`, "state") },
    { colors: { completed: "green", failed: "red", timeout: "orange", cancelled: "gray" } },
  ),
  lines(
    "From submission to verdict",
    "Time of whole runs by canary: median, and nine in ten. Runs that failed count as well.",
    {
      "{{canary}} median": quantile(0.5, "plumbline_canary_duration_seconds", CANARY, "canary"),
      "{{canary}} 90 %": quantile(0.9, "plumbline_canary_duration_seconds", CANARY, "canary"),
    },
    { interval: "2m" },
  ),
]);

const transitions = row("Step by step", [
  heatmap(
    "Queue wait",
    "Jobs by the time that they were queued. A second band above the first is a backlog.",
    { "{{le}}": buckets(TRANSITION, QUEUED) },
  ),
  heatmap(
    "Running",
    "Jobs by the time that they were running. Workers of different pace show as bands.",
    { "{{le}}": buckets(TRANSITION, RUNNING) },
  ),
  lines(
    "Queue wait by worker",
    "Median and 90 % of the time in the queue. Dashed: how far apart the bounds of what was " +
      "seen are in nine of ten transitions; differences below it mean nothing.",
    {
      "{{worker}} median": quantile(0.5, TRANSITION, QUEUED, "worker"),
      "{{worker}} 90 %": quantile(0.9, TRANSITION, QUEUED, "worker"),
      "uncertain by": quantile(0.9, "plumbline_job_transition_bound_width_seconds", PROBE),
    },
    { dashed: "uncertain by", interval: "2m" },
  ),
  lines(
    "Time in each state, 90 %",
    "Nine in ten transitions took less. The step that grew is the one that is slow.",
    { "{{from}} to {{to}}": quantile(0.9, TRANSITION, WORKER, "from, to") },
    { interval: "2m" },
  ),
]);

const trouble = row("What does not end", [
  lines(
    "Oldest job in flight",
    "Age of the oldest job of each canary. Dashed: its deadline. A saw tooth is healthy.",
    {
      "{{canary}}": `max by (canary) (plumbline_jobs_in_flight_oldest_age_seconds{${CANARY}})`,
      "{{canary}} deadline": `max by (canary) (plumbline_canary_deadline_seconds{${CANARY}})`,
    },
    { dashed: ".* deadline" },
  ),
  bars(
    "Jobs without an end, by the state last seen",
    "Jobs that had not ended at their deadline. Queued is a backlog, running a slow worker.",
    { "{{state}}": events(`plumbline_job_censored_age_seconds_count{${WORKER}}`, "state") },
  ),
  bars(
    "Timeouts",
    "Jobs that the service ended as timeouts. A canary that expects one makes a steady row; " +
      "more than that are workers that hang.",
    { "{{worker}}": events(`plumbline_jobs_terminal_total{${WORKER},state="timeout"}`, "worker") },
  ),
  bars(
    "States that looks have missed",
    "Passages through a state between two looks, each counted with its probability. Many say " +
      "that the state is short; times of its neighbours are less certain then.",
    { "{{state}}": events(`plumbline_job_states_missed_total{${WORKER}}`, "state") },
  ),
]);

export const JOBS: Board = {
  id: "jobs",
  title: "Plumbline / Jobs",
  description:
    "A job's life step by step: rate, errors, duration, queue wait, timeouts, stuck jobs.",
  variables: ["job", "environment", "location", "instance", "canary", "worker"],
  from: "now-6h",
  rows: [life, red, transitions, trouble],
};
