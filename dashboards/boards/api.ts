/** The board on the API and its limits: what answers, how fast, who is refused, what is left. */

import { bars, lines, row, stat } from "./kinds.ts";
import type { Board } from "./panel.ts";
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
const REQUESTS = "plumbline_http_request_duration_seconds";

const now = row("Now", [
  stat(
    "Account and catalogue",
    "The last look at each: account, credits, list of workers. They cost nothing.",
    { "{{check}}": `min by (check) (plumbline_api_check_last_run_success{${PROBE}})` },
    {
      width: 8,
      shown: { "1": { text: "good", color: "green" }, "0": { text: "bad", color: "red" } },
      steps: ["green"],
    },
  ),
  stat(
    "Refused with 429, last hour",
    "The probe keeps far below its plan: there should be none.",
    whole(eventsOfHour(`plumbline_http_rate_limited_total{${PROBE}}`)),
    { steps: ["green", [0.5, "yellow"], [2.5, "red"]], decimals: 0 },
  ),
  stat(
    "Credits left",
    "Balance of the probe's account; not a number where it can't be read.",
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
    "Of the ceiling that the probe sets itself, until midnight UTC.",
    `min(plumbline_budget_left{${PROBE},span="day",unit="jobs"})`,
    { unit: "short", steps: ["red", [1, "orange"], [100, "blue"]] },
  ),
  stat(
    "Errors, last hour",
    "Share of the probe's requests with 5xx or without a whole answer.",
    ratio(
      eventsOfHour(`${REQUESTS}_count{${PROBE},status=~"0|5.."}`),
      eventsOfHour(`${REQUESTS}_count{${PROBE}}`),
    ),
    { unit: "percentunit", steps: ["green", [0.001, "yellow"], [0.01, "red"]], decimals: 2 },
  ),
]);

const answers = row("Answers", [
  bars(
    "Answers that are no success",
    "By route and status; 0 is no whole answer, 4xx and 5xx are the unusual ones.",
    {
      "{{route}} {{status}}": seen(
        events(`${REQUESTS}_count{${PROBE},status!~"2.."}`, "route, status"),
        "status",
      ),
    },
  ),
  lines(
    "Latency by route, 95 %",
    "From sending a request to the last byte of its answer, answers of any status.",
    { "{{route}}": quantile(0.95, REQUESTS, PROBE, "route") },
    { interval: "2m" },
  ),
  lines(
    "Requests by route",
    "What the probe asks of the service.",
    {
      "{{method}} {{route}}": `sum by (method, route) (rate(${REQUESTS}_count{${PROBE}}[${RATE}]))`,
    },
    { unit: "reqps", stacked: true, interval: "1m" },
  ),
  bars("Looks at account and catalogue", "By outcome; they make up the objective api-available.", {
    "{{check}} {{outcome}}": `${events(`${CHECKS}{${PROBE}}`, "check, outcome")} > 0`,
  }),
]);

const limits = row("Limits", [
  lines(
    "Requests a second of one key, against the plans",
    "All that the busiest probe of a place sends. Dashed: what the free plan (10) and the " +
      "pro plan (50) sustain (§8). The distance is the headroom.",
    {
      "{{location}}": [
        "max by (location) (sum by (location, instance)",
        `(rate(${REQUESTS}_count{${PROBE}}[${RATE}])))`,
      ].join(" "),
      "free plan": "vector(10)",
      "pro plan": "vector(50)",
    },
    { unit: "reqps", width: 8, dashed: "(free|pro) plan" },
  ),
  bars(
    "Refused with 429",
    "By route. Within its plan a key gets none, unless somebody else uses it.",
    { "{{route}}": seen(events(`plumbline_http_rate_limited_total{${PROBE}}`, "route"), "route") },
    { width: 8 },
  ),
  lines(
    "Retry-After of the last 429",
    "The wait that it asked for; 0 before the first. The probe rests as told.",
    { "{{location}}": `max by (location) (plumbline_http_retry_after_seconds{${PROBE}})` },
    { width: 8 },
  ),
]);

const spending = row("Credits and budget", [
  lines(
    "Credits left",
    "Balance of the account. A fall that is steeper than canaries cost is somebody else's.",
    { "{{location}}": `min by (location) (plumbline_credits_left{${PROBE}})` },
    { unit: "short", width: 8, noValue: "unknown" },
  ),
  lines(
    "What canaries cost in a day",
    "At the rate of the last hour: jobs, credits, US dollars. The scale is logarithmic above " +
      "1, so that each can be read beside the others.",
    { "{{unit}} a day": `86400 * sum by (unit) (rate(plumbline_spent_total{${PROBE}}[1h]))` },
    { unit: "short", width: 8, scale: "log" },
  ),
  lines(
    "Budget left",
    "Of the probe's ceilings for the day and the month, in jobs, credits or US dollars. At 0 " +
      "canaries stop. The scale is logarithmic above 1: a month is many days.",
    { "{{unit}} this {{span}}": `min by (span, unit) (plumbline_budget_left{${PROBE}} < Inf)` },
    { unit: "short", width: 8, scale: "log" },
  ),
  bars(
    "Runs that were not started",
    "By reason: budget, a 429, too many in flight, journal, a pause of the probe.",
    { "{{reason}}": events(`plumbline_canary_skipped_total{${CANARY}}`, "reason") },
    { height: 7 },
  ),
  bars(
    "Submissions whose answer was lost",
    "By how their job was found: by its mark, by its webhook, or not at all (then it stays " +
      "charged to the budget).",
    { "{{how}}": events(`plumbline_submissions_resolved_total{${PROBE}}`, "how") },
    { height: 7 },
  ),
]);

export const API: Board = {
  id: "api",
  title: "Plumbline / API and limits",
  description: "Status and latency by route, refusals, headroom to the plan, credits and budget.",
  variables: ["job", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [now, answers, limits, spending],
};
