/** The board on the API and its limits: what answers, how fast, who is refused, what is left. */

import type { Board, Panel } from "./panel.ts";
import {
  CANARY,
  events,
  eventsOfHour,
  PROBE,
  quantile,
  RATE,
  ratio,
  seen,
  whole,
} from "./selectors.ts";

const REQUESTS = "plumbline_http_request_duration_seconds";

const now: readonly Panel[] = [
  {
    kind: "stat",
    title: "Account and catalogue",
    description: "The last look at each: account, credits, list of workers. They cost nothing.",
    unit: "none",
    width: 8,
    height: 4,
    queries: [
      {
        expr: `min by (check) (plumbline_api_check_last_run_success{${PROBE}})`,
        legend: "{{check}}",
      },
    ],
    shown: { "1": { text: "good", color: "green" }, "0": { text: "bad", color: "red" } },
    steps: ["green"],
  },
  {
    kind: "stat",
    title: "Refused with 429, last hour",
    description: "The probe keeps far below its plan: there should be none.",
    unit: "none",
    width: 4,
    height: 4,
    queries: [{ expr: whole(eventsOfHour(`plumbline_http_rate_limited_total{${PROBE}}`)) }],
    steps: ["green", [0.5, "yellow"], [2.5, "red"]],
    decimals: 0,
  },
  {
    kind: "stat",
    title: "Credits left",
    description: "Balance of the probe's account; not a number where it can't be read.",
    unit: "short",
    width: 4,
    height: 4,
    queries: [{ expr: `min(plumbline_credits_left{${PROBE}})` }],
    shown: { NaN: { text: "unknown", color: "gray" } },
    steps: ["blue"],
    noValue: "unknown",
  },
  {
    kind: "stat",
    title: "Jobs left today",
    description: "Of the ceiling that the probe sets itself, until midnight UTC.",
    unit: "short",
    width: 4,
    height: 4,
    queries: [{ expr: `min(plumbline_budget_left{${PROBE},span="day",unit="jobs"})` }],
    steps: ["red", [1, "orange"], [100, "blue"]],
  },
  {
    kind: "stat",
    title: "Errors, last hour",
    description: "Share of the probe's requests with 5xx or without a whole answer.",
    unit: "percentunit",
    width: 4,
    height: 4,
    queries: [
      {
        expr: ratio(
          eventsOfHour(`${REQUESTS}_count{${PROBE},status=~"0|5.."}`),
          eventsOfHour(`${REQUESTS}_count{${PROBE}}`),
        ),
      },
    ],
    steps: ["green", [0.001, "yellow"], [0.01, "red"]],
    decimals: 2,
  },
];

const answers: readonly Panel[] = [
  {
    kind: "bars",
    title: "Answers that are no success",
    description: "By route and status; 0 is no whole answer, 4xx and 5xx are the unusual ones.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: seen(events(`${REQUESTS}_count{${PROBE},status!~"2.."}`, "route, status"), "status"),
        legend: "{{route}} {{status}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "timeseries",
    title: "Latency by route, 95 %",
    description: "From sending a request to the last byte of its answer, answers of any status.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [{ expr: quantile(0.95, REQUESTS, PROBE, "route"), legend: "{{route}}" }],
    min: 0,
    interval: "2m",
  },
  {
    kind: "timeseries",
    title: "Requests by route",
    description: "What the probe asks of the service.",
    unit: "reqps",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `sum by (method, route) (rate(${REQUESTS}_count{${PROBE}}[${RATE}]))`,
        legend: "{{method}} {{route}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "bars",
    title: "Looks at account and catalogue",
    description: "By outcome; they make up the objective api-available.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `${events(`plumbline_api_checks_total{${PROBE}}`, "check, outcome")} > 0`,
        legend: "{{check}} {{outcome}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
];

const limits: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Requests a second of one key, against the plans",
    description:
      "All that the busiest probe of a place sends. Dashed: what the free plan (10) and the " +
      "pro plan (50) sustain (§8). The distance is the headroom.",
    unit: "reqps",
    width: 8,
    height: 8,
    queries: [
      {
        expr: [
          "max by (location) (sum by (location, instance)",
          `(rate(${REQUESTS}_count{${PROBE}}[${RATE}])))`,
        ].join(" "),
        legend: "{{location}}",
      },
      { expr: "vector(10)", legend: "free plan" },
      { expr: "vector(50)", legend: "pro plan" },
    ],
    dashed: "(free|pro) plan",
    min: 0,
  },
  {
    kind: "bars",
    title: "Refused with 429",
    description: "By route. Within its plan a key gets none, unless somebody else uses it.",
    unit: "short",
    width: 8,
    height: 8,
    queries: [
      {
        expr: seen(events(`plumbline_http_rate_limited_total{${PROBE}}`, "route"), "route"),
        legend: "{{route}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "timeseries",
    title: "Retry-After of the last 429",
    description: "The wait that it asked for; 0 before the first. The probe rests as told.",
    unit: "s",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `max by (location) (plumbline_http_retry_after_seconds{${PROBE}})`,
        legend: "{{location}}",
      },
    ],
    min: 0,
  },
];

const spending: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Credits left",
    description:
      "Balance of the account. A fall that is steeper than canaries cost is somebody else's.",
    unit: "short",
    width: 8,
    height: 8,
    queries: [
      { expr: `min by (location) (plumbline_credits_left{${PROBE}})`, legend: "{{location}}" },
    ],
    noValue: "unknown",
    min: 0,
  },
  {
    kind: "timeseries",
    title: "What canaries cost in a day",
    description:
      "At the rate of the last hour: jobs, credits, US dollars. The scale is logarithmic above " +
      "1, so that each can be read beside the others.",
    unit: "short",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `86400 * sum by (unit) (rate(plumbline_spent_total{${PROBE}}[1h]))`,
        legend: "{{unit}} a day",
      },
    ],
    scale: "log",
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Budget left",
    description:
      "Of the probe's ceilings for the day and the month, in jobs, credits or US dollars. At 0 " +
      "canaries stop. The scale is logarithmic above 1: a month is many days.",
    unit: "short",
    width: 8,
    height: 8,
    queries: [
      {
        expr: `min by (span, unit) (plumbline_budget_left{${PROBE}} < Inf)`,
        legend: "{{unit}} this {{span}}",
      },
    ],
    scale: "log",
    min: 0,
  },
  {
    kind: "bars",
    title: "Runs that were not started",
    description: "By reason: budget, a 429, too many in flight, journal, a pause of the probe.",
    unit: "short",
    width: 12,
    height: 7,
    queries: [
      {
        expr: events(`plumbline_canary_skipped_total{${CANARY}}`, "reason"),
        legend: "{{reason}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "bars",
    title: "Submissions whose answer was lost",
    description:
      "By how their job was found: by its mark, by its webhook, or not at all (then it stays " +
      "charged to the budget).",
    unit: "short",
    width: 12,
    height: 7,
    queries: [
      {
        expr: events(`plumbline_submissions_resolved_total{${PROBE}}`, "how"),
        legend: "{{how}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
];

export const API: Board = {
  id: "api",
  title: "Plumbline / API and limits",
  description: "Status and latency by route, refusals, headroom to the plan, credits and budget.",
  variables: ["job", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [
    { title: "Now", panels: now },
    { title: "Answers", panels: answers },
    { title: "Limits", panels: limits },
    { title: "Credits and budget", panels: spending },
  ],
};
