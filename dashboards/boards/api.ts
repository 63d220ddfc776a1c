/** The board on the API and its limits: what answers, how fast, who is refused, what is left. */

import { bars, lines, row, stat } from "./kinds.ts";
import type { Board } from "./panel.ts";
import { sectionLink } from "./panel.ts";
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

const CHECKS = "plumbline_api_checks_total";
const REQUESTS = "plumbline_http_requests_total";
const DURATION = "plumbline_http_request_duration_seconds";

const now = row("Now", [
  stat(
    "API checks, last result",
    "The last check of each: account, credits, lists of workers and jobs. They cost nothing.",
    { "{{check}}": `min by (check) (plumbline_api_check_last_run_success{${PROBE}})` },
    {
      width: 4,
      shown: {
        "1": { text: "good", color: "green" },
        "0": { text: "bad", color: "red" },
        NaN: { text: "unknown", color: "gray" },
      },
      steps: ["green"],
    },
  ),
  stat(
    "Certificate expires in",
    "The service's, as the probe's newest connection saw it; none without TLS.",
    `min(plumbline_certificate_expiry_timestamp_seconds{${PROBE}}) - time()`,
    {
      unit: "s",
      shown: { NaN: { text: "none", color: "gray" } },
      steps: ["red", [0, "yellow"], [14 * 86_400, "green"]],
      noValue: "none",
    },
  ),
  stat(
    "429 responses, last hour",
    "The probe stays far below its plan's limits: there should be none.",
    whole(eventsOfHour(`plumbline_http_rate_limited_total{${PROBE}}`)),
    { steps: ["green", [0.5, "yellow"], [2.5, "red"]], decimals: 0 },
  ),
  stat(
    "Credits left",
    "Balance of the probe's account; unknown where it can't be read.",
    `min(plumbline_credits_left{${PROBE}})`,
    {
      unit: "short",
      shown: { NaN: { text: "unknown", color: "gray" } },
      steps: ["blue"],
      noValue: "unknown",
    },
  ),
  stat(
    "Jobs left today",
    "What is left of the probe's own budget until midnight UTC.",
    `min(plumbline_budget_left{${PROBE},span="day",unit="jobs"})`,
    { unit: "short", steps: ["red", [1, "orange"], [100, "blue"]] },
  ),
  stat(
    "Failed requests, last hour",
    "Share of the probe's requests that got 5xx or no complete response.",
    ratio(
      eventsOfHour(`${REQUESTS}{${PROBE},status=~"0|5.."}`),
      eventsOfHour(`${REQUESTS}{${PROBE}}`),
    ),
    { unit: "percentunit", steps: ["green", [0.001, "yellow"], [0.01, "red"]], decimals: 2 },
  ),
]);

const answers = row("Responses", [
  bars(
    "Failed responses",
    "By route and status. Red: 5xx, and 0 for no complete response. Orange: 4xx.",
    {
      "{{route}} {{status}}": seen(
        events(`${REQUESTS}{${PROBE},status!~"2.."}`, "route, status"),
        "status",
      ),
    },
  ),
  bars(
    "Faulty responses between good ones",
    "By fault: a valid key was rejected, polls or submissions failed, or the response awaited " +
      "the run or took seconds. No run's outcome tells of them.",
    {
      "{{fault}}": seen(events(`plumbline_http_response_faults_total{${PROBE}}`, "fault"), "fault"),
    },
    { shade: "orange", colors: { none: "green" } },
  ),
  lines(
    "Latency by route, 95 %",
    "From sending a request to the last byte of its response, for any status.",
    { "{{route}}": quantile(0.95, DURATION, PROBE, "route") },
    { interval: "2m" },
  ),
  lines(
    "Requests by route",
    "Requests that the probe sends.",
    {
      "{{method}} {{route}}": `sum by (method, route) (rate(${REQUESTS}{${PROBE}}[${RATE}]))`,
    },
    { unit: "reqps", stacked: true, interval: "1m" },
  ),
  bars("API checks by outcome", "They make up the objective api-available. Red: failed.", {
    "{{check}} {{outcome}}": `${events(`${CHECKS}{${PROBE}}`, "check, outcome")} > 0`,
  }),
]);

const limits = row("Limits", [
  lines(
    "Request rate and plan limits",
    "Requests a second of the busiest probe at a location. Dashed: the sustained rate of the " +
      `free plan (10) and of the pro plan (50), ${sectionLink("8")}. The distance is the headroom.`,
    {
      "{{location}}": [
        "max by (location) (sum by (location, instance)",
        `(rate(${REQUESTS}{${PROBE}}[${RATE}])))`,
      ].join(" "),
      "free plan": "vector(10)",
      "pro plan": "vector(50)",
    },
    { unit: "reqps", width: 8, dashed: "(free|pro) plan" },
  ),
  bars(
    "429 responses",
    "By route. Within its plan's limits a key gets none, unless somebody else uses it.",
    { "{{route}}": seen(events(`plumbline_http_rate_limited_total{${PROBE}}`, "route"), "route") },
    { width: 8, shade: "orange", colors: { none: "green" } },
  ),
  lines(
    "Retry-After of the last 429",
    "The wait that it asked for; 0 before the first. The probe waits as told, a minute at most.",
    { "{{location}}": `max by (location) (plumbline_http_retry_after_seconds{${PROBE}})` },
    { width: 8 },
  ),
]);

const spending = row("Credits and budget", [
  lines(
    "Credits left",
    "Balance of the account. If it falls faster than canaries cost, somebody else uses it.",
    { "{{location}}": `min by (location) (plumbline_credits_left{${PROBE}})` },
    { unit: "short", width: 8, noValue: "unknown" },
  ),
  lines(
    "Cost of canaries, a day",
    "At the rate of the last hour: jobs, credits, US dollars. The scale is logarithmic above 1.",
    {
      "jobs a day": `86400 * sum(rate(plumbline_spent_jobs_total{${PROBE}}[1h]))`,
      "credits a day": `86400 * sum(rate(plumbline_spent_credits_total{${PROBE}}[1h]))`,
      "usd a day": `86400 * sum(rate(plumbline_spent_usd_total{${PROBE}}[1h]))`,
    },
    { unit: "short", width: 8, scale: "log" },
  ),
  lines(
    "Budget left",
    "Of the probe's budgets for the day and the month, in jobs, credits or US dollars. At 0 " +
      "canaries stop. The scale is logarithmic above 1.",
    { "{{unit}} this {{span}}": `min by (span, unit) (plumbline_budget_left{${PROBE}} < Inf)` },
    { unit: "short", width: 8, scale: "log" },
  ),
  bars(
    "Skipped runs",
    "Runs that were due and not started, by reason: budget used up, 429, too many in flight, " +
      "journal failure, probe suspended or stopping.",
    { "{{reason}}": events(`plumbline_canary_skipped_total{${CANARY}}`, "reason") },
    { height: 7 },
  ),
  bars(
    "Submissions without a response",
    "By how their job was found: by its marker, by its webhook, or not at all. A job that is " +
      "not found stays charged to the budget.",
    { "{{how}}": events(`plumbline_submissions_resolved_total{${PROBE}}`, "how") },
    { height: 7, colors: { unresolved: "red" } },
  ),
]);

export const API: Board = {
  id: "api",
  title: "Plumbline / API and limits",
  description:
    "Status and latency by route, 429 responses, headroom to the plan, credits and budget.",
  variables: ["job", "service", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [now, answers, limits, spending],
};
