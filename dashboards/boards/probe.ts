/** The board on the probe's own health: whether the other boards can be trusted. */

import { bars, lines, row, stat } from "./kinds.ts";
import type { Board } from "./panel.ts";
import { CANARY, events, intervalsSince, PROBE, quantile, RATE } from "./selectors.ts";

/** What Prometheus itself says of a scrape knows no location. */
const SCRAPE = 'job=~"$job",instance=~"$instance",environment=~"$environment"';

const NEXT_DUE = "plumbline_canary_next_due_timestamp_seconds";
const OFFSET = `plumbline_clock_offset_seconds{${PROBE}}`;
const UNCERTAINTY = `plumbline_clock_offset_uncertainty_seconds{${PROBE}}`;

const now = row("Now", [
  stat(
    "Probes not scraped",
    "Probes that Prometheus can't scrape. The alert PlumblineProbeDown names them.",
    { down: `sum(up{${SCRAPE}} == bool 0)` },
    {
      shown: { "0": { text: "none", color: "green" } },
      steps: ["green", [1, "red"]],
      noValue: "no target",
    },
  ),
  stat(
    "Next run is due",
    "The latest due time of all canaries. In the past: no runs are started.",
    {
      "{{location}}": `1000 * max by (location) (${NEXT_DUE}{${CANARY}})`,
    },
    { unit: "dateTimeFromNow", steps: ["blue"] },
  ),
  stat(
    "Journal",
    "Whether it can be written. Without a journal the probe submits no jobs.",
    { "{{location}}": `min by (location) (plumbline_journal_writable{${PROBE}})` },
    {
      shown: { "1": { text: "writable", color: "green" }, "0": { text: "fails", color: "red" } },
      steps: ["green"],
    },
  ),
  stat(
    "Target file",
    "Whether the file in use is the one on disk.",
    { "{{location}}": `min by (location) (plumbline_config_last_reload_success{${PROBE}})` },
    {
      shown: {
        "1": { text: "current", color: "green" },
        "0": { text: "rejected", color: "orange" },
      },
      steps: ["green"],
    },
  ),
  stat(
    "Late starts, last hour",
    "Delay of run starts, 99th percentile. Milliseconds are healthy.",
    quantile(0.99, "plumbline_schedule_lag_seconds", PROBE, "", "1h"),
    { unit: "s", steps: ["green", [0.1, "yellow"], [1, "red"]], noValue: "no starts" },
  ),
  stat(
    "Running since",
    "Start of the process.",
    { "{{location}}": `1000 * max by (location) (process_start_time_seconds{${PROBE}})` },
    { unit: "dateTimeFromNow", steps: ["blue"] },
  ),
]);

const punctuality = row("Lateness", [
  lines(
    "Late starts",
    "Delay of run starts: median and 99th percentile.",
    {
      median: quantile(0.5, "plumbline_schedule_lag_seconds", PROBE),
      "99 %": quantile(0.99, "plumbline_schedule_lag_seconds", PROBE),
    },
    { width: 8, interval: "2m" },
  ),
  lines(
    "Event-loop delay",
    "Lag of the process's event loop, 99th percentile. All measured times are off by as much.",
    { "{{location}}": `max by (location) (nodejs_eventloop_lag_p99_seconds{${PROBE}})` },
    { width: 8, steps: ["transparent", [0.25, "orange"]] },
  ),
  lines(
    "Time since the last verdict, in intervals",
    "In multiples of each canary's interval, any verdict.",
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
    "Share of one core; the busiest of several probes at a location.",
    { "{{location}}": `max by (location) (rate(process_cpu_seconds_total{${PROBE}}[${RATE}]))` },
    { unit: "percentunit", width: 8 },
  ),
  lines(
    "Scrape",
    "Duration of Prometheus' scrapes.",
    { "{{instance}}": `scrape_duration_seconds{${SCRAPE}}` },
    { width: 8 },
  ),
  lines(
    "Journal",
    "Size of its files. Old records are pruned by age and size.",
    { "{{location}}": `max by (location) (plumbline_journal_size_bytes{${PROBE}})` },
    { unit: "bytes", width: 8 },
  ),
  bars(
    "Journal failures",
    "write: a record was not written. set_aside: a damaged file was moved away. spent: the " +
      "record of spending had a gap or can't be written. prune: old records were not removed. " +
      "elsewhere: any other.",
    { "{{what}}": events(`plumbline_journal_failures_total{${PROBE}}`, "what") },
    { width: 8, shade: "red" },
  ),
  lines(
    "Open files",
    "File descriptors in use, sockets included.",
    { "{{location}}": `max by (location) (process_open_fds{${PROBE}})` },
    { unit: "short", width: 8 },
  ),
]);

const clocks = row("Clocks and gaps", [
  lines(
    "Clock offset",
    "How far the service's clock is ahead of the probe's. Dashed: bounds of the estimate.",
    {
      "{{location}}": `avg by (location) (${OFFSET})`,
      "{{location}} at most": `avg by (location) (${OFFSET} + ${UNCERTAINTY})`,
      "{{location}} at least": `avg by (location) (${OFFSET} - ${UNCERTAINTY})`,
    },
    { dashed: ".* at (most|least)", noValue: "unknown", min: null, width: 8 },
  ),
  lines(
    "Stale views",
    "How old the state in a poll's response may be: replicas and caches. Bounds of transitions " +
      "are widened by as much.",
    { "{{location}}": `max by (location) (plumbline_view_lag_seconds{${PROBE}})` },
    { width: 8 },
  ),
  bars(
    "Gaps and clock steps",
    "Times before and after these are not comparable: clock steps, suspensions, restarts.",
    {
      "clock offset jumped": events(`plumbline_clock_steps_total{${PROBE}}`),
      "probe's clock was set": events(`plumbline_clock_wall_steps_total{${PROBE}}`),
      "seconds suspended": events(`plumbline_machine_sleep_seconds_total{${PROBE}}`),
      "jobs recovered from an earlier process": events(`plumbline_jobs_recovered_total{${PROBE}}`),
    },
    { width: 8 },
  ),
]);

export const PROBE_BOARD: Board = {
  id: "probe",
  title: "Plumbline / Probe",
  description: "The probe's own health: whether the other boards can be trusted.",
  variables: ["job", "service", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [now, punctuality, resources, clocks],
};
