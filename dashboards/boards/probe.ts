/** The board on the probe's own health: whether what the others show can be believed. */

import { bars, lines, row, stat } from "./kinds.ts";
import type { Board } from "./panel.ts";
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

const NEXT_DUE = "plumbline_canary_next_due_timestamp_seconds";
const OFFSET = `plumbline_clock_offset_seconds{${PROBE}}`;
const UNCERTAINTY = `plumbline_clock_offset_uncertainty_seconds{${PROBE}}`;

const now = row("Now", [
  stat(
    "Probes not scraped",
    "How many probes Prometheus can't reach. The alert PlumblineProbeDown names them.",
    { down: `sum(up{${SCRAPE}} == bool 0)` },
    {
      shown: { "0": { text: "none", color: "green" } },
      steps: ["green", [1, "red"]],
      noValue: "no target",
    },
  ),
  stat(
    "Next run is due",
    "The latest due time of all canaries. In the past: the schedule stands still.",
    {
      "{{location}}": `1000 * max by (location) (${NEXT_DUE}{${CANARY}})`,
    },
    { unit: "dateTimeFromNow", steps: ["blue"] },
  ),
  stat(
    "Journal",
    "Whether it can be written; without it no job is submitted.",
    { "{{location}}": `min by (location) (plumbline_journal_writable{${PROBE}})` },
    {
      shown: { "1": { text: "writable", color: "green" }, "0": { text: "fails", color: "red" } },
      steps: ["green"],
    },
  ),
  stat(
    "Target file",
    "Whether the one in use is the one on disk.",
    { "{{location}}": `min by (location) (plumbline_config_last_reload_success{${PROBE}})` },
    {
      shown: {
        "1": { text: "current", color: "green" },
        "0": { text: "refused", color: "orange" },
      },
      steps: ["green"],
    },
  ),
  stat(
    "Late starts, last hour",
    "How late runs were started: 99 % by less. Milliseconds are healthy.",
    quantileOfHour(0.99, "plumbline_schedule_lag_seconds", PROBE),
    { unit: "s", steps: ["green", [0.1, "yellow"], [1, "red"]], noValue: "no starts" },
  ),
  stat(
    "Running since",
    "Start of the process.",
    { "{{location}}": `1000 * max by (location) (process_start_time_seconds{${PROBE}})` },
    { unit: "dateTimeFromNow", steps: ["blue"] },
  ),
]);

const punctuality = row("Punctuality", [
  lines(
    "Late starts",
    "How late runs were started: median and 99 %.",
    {
      median: quantile(0.5, "plumbline_schedule_lag_seconds", PROBE),
      "99 %": quantile(0.99, "plumbline_schedule_lag_seconds", PROBE),
    },
    { width: 8, interval: "2m" },
  ),
  lines(
    "Event-loop delay",
    "How late the process does what is due, 99 %. All times that it tells are off by as much.",
    { "{{location}}": `max by (location) (nodejs_eventloop_lag_p99_seconds{${PROBE}})` },
    { width: 8, steps: ["transparent", [0.25, "orange"]] },
  ),
  lines(
    "Time since the last verdict, in intervals",
    "How many of its own intervals each canary has been without any verdict.",
    {
      "{{canary}} at {{location}}": intervalsSince(
        "plumbline_canary_last_finished_timestamp_seconds",
      ),
    },
    { unit: "none", width: 8, decimals: 1 },
  ),
]);

const resources = row("Resources", [
  lines(
    "Memory",
    "Resident memory, and the JavaScript heap in it. Steady growth over days is a leak.",
    {
      "{{location}} resident": `max by (location) (process_resident_memory_bytes{${PROBE}})`,
      "{{location}} heap": `max by (location) (nodejs_heap_size_used_bytes{${PROBE}})`,
    },
    { unit: "bytes", width: 8 },
  ),
  lines(
    "CPU",
    "Share of one core; of several probes in a place the busiest.",
    { "{{location}}": `max by (location) (rate(process_cpu_seconds_total{${PROBE}}[${RATE}]))` },
    { unit: "percentunit", width: 8 },
  ),
  lines(
    "Scrape",
    "How long Prometheus takes to read the metrics.",
    { "{{instance}}": `scrape_duration_seconds{${SCRAPE}}` },
    { width: 8 },
  ),
  lines(
    "Journal",
    "Size of its files. It is pruned by age and size.",
    { "{{location}}": `max by (location) (plumbline_journal_size_bytes{${PROBE}})` },
    { unit: "bytes", width: 8 },
  ),
  bars(
    "Journal failures",
    "write: no record. set_aside: a damaged file. spent: its account had a gap. " +
      "prune: old records stay. elsewhere: others.",
    { "{{what}}": events(`plumbline_journal_failures_total{${PROBE}}`, "what") },
    { width: 8 },
  ),
  lines(
    "Open files",
    "File descriptors in use; sockets among them.",
    { "{{location}}": `max by (location) (process_open_fds{${PROBE}})` },
    { unit: "short", width: 8 },
  ),
]);

const clocks = row("Clocks and gaps", [
  lines(
    "Clock offset",
    "How far the service's clock is ahead. Dashed: the bounds between which it lies. Times " +
      "within one clock need no offset.",
    {
      "{{location}}": `avg by (location) (${OFFSET})`,
      "{{location}} at most": `avg by (location) (${OFFSET} + ${UNCERTAINTY})`,
      "{{location}} at least": `avg by (location) (${OFFSET} - ${UNCERTAINTY})`,
    },
    { dashed: ".* at (most|least)", noValue: "unknown", min: null },
  ),
  lines(
    "Stale views",
    "By how much polls may show a job as it was: replicas and caches. Bounds of transitions are " +
      "widened by as much.",
    { "{{location}}": `max by (location) (plumbline_view_lag_seconds{${PROBE}})` },
  ),
  bars(
    "Gaps and clocks that were set",
    "What spoils comparisons of before and after: steps of a clock, sleep, restarts.",
    {
      "offset jumped": events(`plumbline_clock_steps_total{${PROBE}}`),
      "probe's clock was set": events(`plumbline_clock_wall_steps_total{${PROBE}}`),
      "seconds asleep": events(`plumbline_machine_sleep_seconds_total{${PROBE}}`),
      "jobs taken over from an earlier process": events(`plumbline_jobs_recovered_total{${PROBE}}`),
    },
  ),
]);

export const PROBE_BOARD: Board = {
  id: "probe",
  title: "Plumbline / Probe",
  description: "The probe's own health: whether what the other boards show can be believed.",
  variables: ["job", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [now, punctuality, resources, clocks],
};
