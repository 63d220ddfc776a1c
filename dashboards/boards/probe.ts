/** The board on the probe's own health: whether what the others show can be believed. */

import type { Board, Panel } from "./panel.ts";
import {
  CANARY,
  events,
  intervalsSince,
  PROBE,
  quantile,
  quantileOfHour,
  RATE,
} from "./selectors.ts";

/** What Prometheus itself says of a scrape knows no location. */
const SCRAPE = 'job=~"$job",instance=~"$instance",environment=~"$environment"';

const OFFSET = `plumbline_clock_offset_seconds{${PROBE}}`;
const UNCERTAINTY = `plumbline_clock_offset_uncertainty_seconds{${PROBE}}`;

const now: readonly Panel[] = [
  {
    kind: "stat",
    title: "Probes not scraped",
    description: "How many probes Prometheus can't reach. The alert PlumblineProbeDown names them.",
    unit: "none",
    width: 4,
    height: 4,
    queries: [{ expr: `sum(up{${SCRAPE}} == bool 0)`, legend: "down" }],
    shown: { "0": { text: "none", color: "green" } },
    steps: ["green", [1, "red"]],
    noValue: "no target",
  },
  {
    kind: "stat",
    title: "Next run is due",
    description: "The latest due time of all canaries. In the past: the schedule stands still.",
    unit: "dateTimeFromNow",
    width: 4,
    height: 4,
    queries: [
      {
        expr: `1000 * max by (location) (plumbline_canary_next_due_timestamp_seconds{${CANARY}})`,
        legend: "{{location}}",
      },
    ],
    steps: ["blue"],
  },
  {
    kind: "stat",
    title: "Journal",
    description: "Whether it can be written; without it no job is submitted.",
    unit: "none",
    width: 4,
    height: 4,
    queries: [
      { expr: `min by (location) (plumbline_journal_writable{${PROBE}})`, legend: "{{location}}" },
    ],
    shown: { "1": { text: "writable", color: "green" }, "0": { text: "fails", color: "red" } },
    steps: ["green"],
  },
  {
    kind: "stat",
    title: "Target file",
    description: "Whether the one in use is the one on disk.",
    unit: "none",
    width: 4,
    height: 4,
    queries: [
      {
        expr: `min by (location) (plumbline_config_last_reload_success{${PROBE}})`,
        legend: "{{location}}",
      },
    ],
    shown: { "1": { text: "current", color: "green" }, "0": { text: "refused", color: "orange" } },
    steps: ["green"],
  },
  {
    kind: "stat",
    title: "Late starts, last hour",
    description: "How late runs were started: 99 % by less. Milliseconds are healthy.",
    unit: "s",
    width: 4,
    height: 4,
    queries: [{ expr: quantileOfHour(0.99, "plumbline_schedule_lag_seconds", PROBE) }],
    steps: ["green", [0.1, "yellow"], [1, "red"]],
    noValue: "no starts",
  },
  {
    kind: "stat",
    title: "Running since",
    description: "Start of the process.",
    unit: "dateTimeFromNow",
    width: 4,
    height: 4,
    queries: [
      {
        expr: `1000 * max by (location) (process_start_time_seconds{${PROBE}})`,
        legend: "{{location}}",
      },
    ],
    steps: ["blue"],
  },
];

const punctuality: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Late starts",
    description: "How late runs were started: median and 99 %.",
    unit: "s",
    width: 8,
    height: 8,
    queries: [
      { expr: quantile(0.5, "plumbline_schedule_lag_seconds", PROBE), legend: "median" },
      { expr: quantile(0.99, "plumbline_schedule_lag_seconds", PROBE), legend: "99 %" },
    ],
    min: 0,
    interval: "2m",
  },
  {
    kind: "timeseries",
    title: "Event-loop delay",
    description:
      "How late the process does what is due, 99 %. All times that it tells are off by as much.",
    unit: "s",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `max by (location) (nodejs_eventloop_lag_p99_seconds{${PROBE}})`,
        legend: "{{location}}",
      },
    ],
    steps: ["transparent", [0.25, "orange"]],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Time since the last verdict, in intervals",
    description: "How many of its own intervals each canary has been without any verdict.",
    unit: "none",
    width: 8,
    height: 8,
    queries: [
      {
        expr: intervalsSince("plumbline_canary_last_finished_timestamp_seconds"),
        legend: "{{canary}} at {{location}}",
      },
    ],
    min: 0,
    decimals: 1,
  },
];

const resources: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Memory",
    description:
      "Resident memory, and the JavaScript heap in it. Steady growth over days is a leak.",
    unit: "bytes",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `max by (location) (process_resident_memory_bytes{${PROBE}})`,
        legend: "{{location}} resident",
      },
      {
        expr: `max by (location) (nodejs_heap_size_used_bytes{${PROBE}})`,
        legend: "{{location}} heap",
      },
    ],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "CPU",
    description: "Share of one core; of several probes in a place the busiest.",
    unit: "percentunit",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `max by (location) (rate(process_cpu_seconds_total{${PROBE}}[${RATE}]))`,
        legend: "{{location}}",
      },
    ],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Scrape",
    description: "How long Prometheus takes to read the metrics.",
    unit: "s",
    width: 8,
    height: 8,
    queries: [{ expr: `scrape_duration_seconds{${SCRAPE}}`, legend: "{{instance}}" }],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Journal",
    description: "Size of its files. It is pruned by age and size.",
    unit: "bytes",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `max by (location) (plumbline_journal_size_bytes{${PROBE}})`,
        legend: "{{location}}",
      },
    ],
    min: 0,
  },
  {
    kind: "bars",
    title: "Journal failures",
    description:
      "write: no record. set_aside: a damaged file. prune: old records stay. elsewhere: others.",
    unit: "short",
    width: 8,
    height: 8,
    queries: [
      {
        expr: events(`plumbline_journal_failures_total{${PROBE}}`, "what"),
        legend: "{{what}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "timeseries",
    title: "Open files",
    description: "File descriptors in use; sockets among them.",
    unit: "short",
    width: 8,
    height: 8,
    queries: [{ expr: `max by (location) (process_open_fds{${PROBE}})`, legend: "{{location}}" }],
    min: 0,
  },
];

const clocks: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Clock offset",
    description:
      "How far the service's clock is ahead. Dashed: the bounds between which it lies. Times " +
      "within one clock need no offset.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `avg by (location) (${OFFSET})`,
        legend: "{{location}}",
      },
      {
        expr: `avg by (location) (${OFFSET} + ${UNCERTAINTY})`,
        legend: "{{location}} at most",
      },
      {
        expr: `avg by (location) (${OFFSET} - ${UNCERTAINTY})`,
        legend: "{{location}} at least",
      },
    ],
    dashed: ".* at (most|least)",
    noValue: "unknown",
  },
  {
    kind: "bars",
    title: "Gaps and clocks that were set",
    description: "What spoils comparisons of before and after: steps of a clock, sleep, restarts.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: events(`plumbline_clock_steps_total{${PROBE}}`),
        legend: "offset jumped",
      },
      {
        expr: events(`plumbline_clock_wall_steps_total{${PROBE}}`),
        legend: "probe's clock was set",
      },
      {
        expr: events(`plumbline_machine_sleep_seconds_total{${PROBE}}`),
        legend: "seconds asleep",
      },
      {
        expr: events(`plumbline_jobs_recovered_total{${PROBE}}`),
        legend: "jobs taken over from an earlier process",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
];

export const PROBE_BOARD: Board = {
  id: "probe",
  title: "Plumbline / Probe",
  description: "The probe's own health: whether what the other boards show can be believed.",
  variables: ["job", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [
    { title: "Now", panels: now },
    { title: "Punctuality", panels: punctuality },
    { title: "Resources", panels: resources },
    { title: "Clocks and gaps", panels: clocks },
  ],
};
