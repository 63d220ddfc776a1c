/** The board for a person woken at night: is it us, since when, how bad, what changed. */

import { PROMISES } from "../../contract/promises.ts";
import { SERVICE_OBJECTIVES } from "../objectives.ts";
import { BUDGET_LEFT, BURN_RATE, errorRatio, OBJECTIVE } from "../rules/recording.ts";
import { bars, gauges, lines, row, stat, table, timeline } from "./kinds.ts";
import { OUTCOME_COLORS, OUTCOME_SHOWN, OUTCOME_TIMELINE } from "./outcomes.ts";
import type { Board, Panel, Shown } from "./panel.ts";
import { RUNBOOKS } from "./panel.ts";
import {
  ALERT,
  CANARY,
  events,
  eventsShown,
  intervalsSince,
  ofCanary,
  PROBE,
  RATE,
  RECORDED,
  ratio,
  seen,
} from "./selectors.ts";

const SLO_SHOWN: Readonly<Record<string, Shown>> = Object.fromEntries(
  SERVICE_OBJECTIVES.map(({ name, title }) => [name, { text: title }]),
);

/** Ids as the sentences that they stand for. */
const PROMISE_SHOWN: Readonly<Record<string, Shown>> = {
  none: { text: "none was seen broken", color: "green" },
  ...Object.fromEntries(
    PROMISES.map(({ id, section, title }) => [
      id,
      { text: `§${section} ${title} (${id})`, color: "red" as const },
    ]),
  ),
};

const REQUESTS = "plumbline_http_request_duration_seconds_count";
/** Alerts of ours that fire, with more matchers or none. */
const firing = (more = "") =>
  `ALERTS{alertstate="firing",alertname=~"Plumbline.+",${more}${ALERT}}`;

const now = row("How bad is it", [
  stat(
    "Pages",
    "Alerts that fire now and wake somebody. Above 0: the table below names them, with runbooks.",
    `count(${firing('severity="page",')}) or vector(0)`,
    { height: 5, steps: ["green", [1, "red"]] },
  ),
  stat(
    "Canaries failing",
    "Canaries whose last run was no success, out of those that have run. A single one may be " +
      "chance; the timeline below tells.",
    [
      `sum((${ofCanary("plumbline_canary_last_run_success")} == bool 0)`,
      `* (${ofCanary("plumbline_canary_last_finished_timestamp_seconds")} > bool 0))`,
    ].join(" "),
    { height: 5, steps: ["green", [1, "orange"], [2, "red"]], noValue: "no probe" },
  ),
  gauges(
    "Error budget left, 30 days",
    "Of the bad events that the objective allows in 30 days. Below 0 the objective is missed; " +
      "it comes back as bad days leave the window. Less history counts as all of it.",
    { "{{slo}}": `sort(min by (slo) (${BUDGET_LEFT}{${RECORDED}}))` },
    {
      unit: "percentunit",
      steps: ["red", [0, "orange"], [0.25, "yellow"], [0.5, "green"]],
      max: 1,
      decimals: 1,
    },
  ),
  gauges(
    "Burn rate, last hour",
    "How many times as fast as allowed the error budget is spent. 1 lasts 30 days exactly; " +
      "14.4 in the hour and in its last 5 minutes pages. Nothing is shown without events.",
    { "{{slo}}": `sort_desc(max by (slo) (${BURN_RATE}{${RECORDED}}))` },
    { steps: ["green", [1, "yellow"], [6, "orange"], [14.4, "red"]], max: 20, decimals: 1 },
  ),
]);

const outcomes = timeline(
  "Canary runs by outcome",
  "The worst outcome of each canary in each interval. Red and orange speak of the service, " +
    "blue of the key or the account, grey of the probe.",
  { "{{canary}} at {{location}}": OUTCOME_TIMELINE },
  { shown: OUTCOME_SHOWN },
);

const words: readonly Panel[] = [
  table(
    "Firing alerts",
    "What fires now. The watchdog always does: where even that is missing, Prometheus " +
      "evaluates no rules of ours, and this board can't warn.",
    `max by (severity, alertname, location, canary, slo, promise) (${firing()})`,
    {
      noValue: "no alert fires, not even the watchdog: the rules are not loaded",
      columns: [
        {
          label: "severity",
          title: "Severity",
          width: 80,
          shown: {
            page: { text: "page", color: "red" },
            ticket: { text: "ticket", color: "orange" },
            none: { text: "always on", color: "gray" },
          },
        },
        {
          label: "alertname",
          title: "Alert",
          link: { title: "Runbook", url: `${RUNBOOKS}/\${__value.text}.md` },
        },
        { label: "location", title: "Location", width: 90 },
        { label: "canary", title: "Canary", width: 90 },
        { label: "slo", title: "Objective", width: 130, shown: SLO_SHOWN },
      ],
    },
  ),
  table(
    "Promises seen broken",
    "Observations in the time range that contradict a promise of the service, with the " +
      "section that makes it. One is enough to ask the service's owner. Prometheus estimates " +
      "what lies between scrapes; the fraction that comes of it is cut off.",
    seen(eventsShown(`plumbline_promise_violations_total{${PROBE}}`, "promise"), "promise"),
    {
      columns: [
        {
          label: "promise",
          title: "Promise",
          shown: PROMISE_SHOWN,
          link: { title: "Runbook", url: `${RUNBOOKS}/PlumblinePromiseBroken.md` },
        },
        { label: "Value", title: "Times", width: 80, unit: "short" },
      ],
    },
  ),
];

const course = row("Its course", [
  lines(
    "Bad events of each objective",
    "Share of bad events over 30 minutes. Dashed: what the objective allows on average. " +
      "Nothing is drawn where nothing happened.",
    {
      "{{slo}}": `max by (slo) (${errorRatio("30m")}{${RECORDED}})`,
      "{{slo}} allowed": `1 - max by (slo) (${OBJECTIVE}{${RECORDED}})`,
    },
    { unit: "percentunit", dashed: ".* allowed" },
  ),
  lines(
    "Since the last success, in intervals",
    "How many of its own intervals each canary has been without a success. Around 1 is as it " +
      "should be; above 3, with 2 failed runs, it pages.",
    {
      "{{canary}} at {{location}}": intervalsSince(
        "plumbline_canary_last_success_timestamp_seconds",
      ),
    },
    { unit: "none", steps: ["transparent", [3, "red"]], decimals: 1 },
  ),
  bars(
    "Runs ended, by outcome",
    "How many canary runs came to each outcome; outcomes that none came to are left out.",
    { "{{outcome}}": `${events(`plumbline_canary_runs_total{${CANARY}}`, "outcome")} > 0` },
    { colors: OUTCOME_COLORS },
  ),
  lines(
    "API calls answered with an error",
    "Share of the probe's requests that got 5xx, or no whole answer.",
    {
      "5xx or no answer": ratio(
        events(`${REQUESTS}{${PROBE},status=~"0|5.."}`),
        events(`${REQUESTS}{${PROBE}}`),
      ),
    },
    { unit: "percentunit" },
  ),
]);

const changed = row("What changed", [
  bars(
    "What changed",
    "Restarts and reloads of the probe, and clocks that were set: things that change the " +
      "picture without the service doing anything.",
    {
      "probe restarted": `sum(changes(process_start_time_seconds{${PROBE}}[${RATE}]))`,
      "target file: {{result}}": events(`plumbline_config_reloads_total{${PROBE}}`, "result"),
      "clock offset jumped": events(`plumbline_clock_steps_total{${PROBE}}`),
      "probe's clock was set": events(`plumbline_clock_wall_steps_total{${PROBE}}`),
    },
    { width: 16, height: 6 },
  ),
  table(
    "Probes",
    "Version of each probe, and since when it has been running.",
    [
      `max by (location, instance, version) (plumbline_build_info{${PROBE}}`,
      "* on (job, instance, location) group_left ()",
      `(process_start_time_seconds{${PROBE}} * 1000))`,
    ].join(" "),
    {
      width: 8,
      height: 6,
      columns: [
        { label: "location", title: "Location" },
        { label: "instance", title: "Instance", width: 140 },
        { label: "version", title: "Version", width: 70 },
        { label: "Value", title: "Running since", unit: "dateTimeFromNow", width: 110 },
      ],
    },
  ),
]);

export const OVERVIEW: Board = {
  id: "overview",
  title: "Plumbline / Overview",
  description: "Whether the service keeps its promises, how much error budget is left, what fires.",
  variables: ["job", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [now, { title: "Since when, and how", panels: [outcomes, ...words] }, course, changed],
};
