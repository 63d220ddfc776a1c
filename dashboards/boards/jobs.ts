/** The board on a job's life: which step is slow, which goes wrong, what hangs. */

import type { Board, Panel } from "./panel.ts";
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

const life: readonly Panel[] = [
  {
    kind: "stat",
    title: "Runs that failed, last hour",
    description: "Share of the runs which speak of the service that ended wrongly, late or not.",
    unit: "percentunit",
    width: 6,
    height: 4,
    queries: [
      {
        expr: ratio(
          eventsOfHour(`${RUNS}{${CANARY},outcome=~"${FAILED}"}`),
          eventsOfHour(`${RUNS}{${CANARY},outcome=~"success|${FAILED}"}`),
        ),
      },
    ],
    steps: ["green", [0.005, "yellow"], [0.05, "red"]],
    noValue: "no runs",
    decimals: 1,
  },
  {
    kind: "stat",
    title: "Jobs in flight",
    description: "Jobs that are followed and have not been seen to end.",
    unit: "none",
    width: 6,
    height: 4,
    queries: [{ expr: `sum(plumbline_jobs_in_flight{${CANARY}})` }],
    steps: ["green"],
  },
  {
    kind: "stat",
    title: "Oldest job in flight, of its deadline",
    description:
      "Age of the oldest job as a share of what its canary allows. Above 100 % it is late.",
    unit: "percentunit",
    width: 6,
    height: 4,
    queries: [
      {
        expr: [
          `max(${ofCanary("plumbline_jobs_in_flight_oldest_age_seconds")}`,
          `/ ${ofCanary("plumbline_canary_deadline_seconds")})`,
        ].join(" "),
      },
    ],
    steps: ["green", [0.8, "yellow"], [1, "red"]],
    decimals: 0,
  },
  {
    kind: "stat",
    title: "Timeouts charged, in the time range",
    description: "Jobs that ended as timeouts and cost something. Promised is none (§1.4).",
    unit: "none",
    width: 6,
    height: 4,
    queries: [
      {
        expr: eventsShown(violations('="timeout.free"')),
      },
    ],
    steps: ["green", [0.5, "red"]],
    decimals: 0,
  },
];

const red: readonly Panel[] = [
  {
    kind: "bars",
    title: "Jobs ended, by state",
    description: "How many jobs of the canaries were seen to end, and how.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: events(`plumbline_jobs_terminal_total{${WORKER}}`, "state"),
        legend: "{{state}}",
      },
    ],
    colors: { completed: "green", failed: "red", timeout: "orange", cancelled: "gray" },
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "timeseries",
    title: "From submission to verdict",
    description:
      "Time of whole runs by canary: median, and nine in ten. Runs that failed count as well.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      {
        expr: quantile(0.5, "plumbline_canary_duration_seconds", CANARY, "canary"),
        legend: "{{canary}} median",
      },
      {
        expr: quantile(0.9, "plumbline_canary_duration_seconds", CANARY, "canary"),
        legend: "{{canary}} 90 %",
      },
    ],
    min: 0,
    interval: "2m",
  },
];

const transitions: readonly Panel[] = [
  {
    kind: "heatmap",
    title: "Queue wait",
    description:
      "Jobs by the time that they were queued. A second band above the first is a backlog.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [{ expr: buckets(TRANSITION, QUEUED), legend: "{{le}}" }],
    interval: "1m",
  },
  {
    kind: "heatmap",
    title: "Running",
    description:
      "Jobs by the time that they were running. Workers of different pace show as bands.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [{ expr: buckets(TRANSITION, RUNNING), legend: "{{le}}" }],
    interval: "1m",
  },
  {
    kind: "timeseries",
    title: "Queue wait by worker",
    description:
      "Median and 90 % of the time in the queue. Dashed: how far apart the bounds of what was " +
      "seen are in nine of ten transitions; differences below it mean nothing.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      { expr: quantile(0.5, TRANSITION, QUEUED, "worker"), legend: "{{worker}} median" },
      { expr: quantile(0.9, TRANSITION, QUEUED, "worker"), legend: "{{worker}} 90 %" },
      {
        expr: quantile(0.9, "plumbline_job_transition_bound_width_seconds", PROBE),
        legend: "uncertain by",
      },
    ],
    dashed: "uncertain by",
    min: 0,
    interval: "2m",
  },
  {
    kind: "timeseries",
    title: "Time in each state, 90 %",
    description: "Nine in ten transitions took less. The step that grew is the one that is slow.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      {
        expr: quantile(0.9, TRANSITION, WORKER, "from, to"),
        legend: "{{from}} to {{to}}",
      },
    ],
    min: 0,
    interval: "2m",
  },
];

const trouble: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Oldest job in flight",
    description:
      "Age of the oldest job of each canary. Dashed: its deadline. A saw tooth is healthy.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `max by (canary) (plumbline_jobs_in_flight_oldest_age_seconds{${CANARY}})`,
        legend: "{{canary}}",
      },
      {
        expr: `max by (canary) (plumbline_canary_deadline_seconds{${CANARY}})`,
        legend: "{{canary}} deadline",
      },
    ],
    dashed: ".* deadline",
    min: 0,
  },
  {
    kind: "bars",
    title: "Jobs without an end, by the state last seen",
    description:
      "Jobs that had not ended at their deadline. Queued is a backlog, running a slow worker.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: events(`plumbline_job_censored_age_seconds_count{${WORKER}}`, "state"),
        legend: "{{state}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "bars",
    title: "Timeouts",
    description:
      "Jobs that the service ended as timeouts. A canary that expects one makes a steady row; " +
      "more than that are workers that hang.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: events(`plumbline_jobs_terminal_total{${WORKER},state="timeout"}`, "worker"),
        legend: "{{worker}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "bars",
    title: "States that looks have missed",
    description:
      "Passages through a state between two looks, each counted with its probability. Many say " +
      "that the state is short; times of its neighbours are less certain then.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: events(`plumbline_job_states_missed_total{${WORKER}}`, "state"),
        legend: "{{state}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
];

export const JOBS: Board = {
  id: "jobs",
  title: "Plumbline / Jobs",
  description:
    "A job's life step by step: rate, errors, duration, queue wait, timeouts, stuck jobs.",
  variables: ["job", "environment", "location", "instance", "canary", "worker"],
  from: "now-6h",
  rows: [
    { title: "Now", panels: life },
    { title: "Rate, errors, duration", panels: red },
    { title: "Step by step", panels: transitions },
    { title: "What does not end", panels: trouble },
  ],
};
