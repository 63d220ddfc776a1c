/** The board for on-call: is it the service, since when, how bad, what changed. */

import { PROMISES } from "../../contract/promises.ts";
import { SERVICE_OBJECTIVES } from "../objectives.ts";
import type { RuleOptions } from "../rules/options.ts";
import { BUDGET_LEFT, BURN_RATE, errorRatio, OBJECTIVE } from "../rules/recording.ts";
import { bars, gauges, lines, row, stat, table, timeline } from "./kinds.ts";
import { OUTCOME_SHOWN, OUTCOME_TIMELINE } from "./outcomes.ts";
import type { Board, Panel, Shown } from "./panel.ts";
import { PROMISE_LINK, RUNBOOKS, STATUS } from "./panel.ts";
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

/** Promises in words, by id. */
const PROMISE_SHOWN: Readonly<Record<string, Shown>> = {
  none: { text: "none is broken", color: "green" },
  ...Object.fromEntries(
    PROMISES.map(({ id, section, title }) => [
      id,
      { text: `§${section} ${title} (${id})`, color: "red" as const },
    ]),
  ),
};

const REQUESTS = "plumbline_http_requests_total";
/** Alerts of ours that fire, with more matchers or none. */
const firing = (more: string) =>
  `ALERTS{alertstate="firing",alertname=~"Plumbline.+",${more}${ALERT}}`;

type Severities = RuleOptions["severities"];

const ABOUT = ["canary", "slo", "promise"];
/** Those of one severity, each once, whatever windows of time it fires for. */
const alerts = (severity: string) =>
  `max by (severity, alertname, location, ${ABOUT}) (${firing(`severity=~"${severity}",`)})`;

const now = ({ page }: Severities) =>
  row("Now", [
    stat(
      "Pages",
      "Firing alerts that page. Above 0: the table below names them and links their runbooks.",
      `count(${alerts(page)}) or vector(0)`,
      { height: 5, steps: ["green", [1, "red"]] },
    ),
    stat(
      "Failing canaries",
      "Canaries whose last run failed. A single failure may be chance: see the timeline below.",
      [
        `sum((${ofCanary("plumbline_canary_last_run_success")} == bool 0)`,
        `* (${ofCanary("plumbline_canary_last_finished_timestamp_seconds")} > bool 0))`,
      ].join(" "),
      { height: 5, steps: ["green", [1, "orange"], [2, "red"]], noValue: "no probe" },
    ),
    gauges(
      "Error budget left, 30 days",
      "Share of the bad events that the objective allows in 30 days. Below 0 the objective is " +
        "missed; -100 % means twice the allowed share or more. It recovers as bad days leave " +
        "the window. A shorter history counts as a whole.",
      { "{{slo}}": `sort(min by (slo) (clamp_min(${BUDGET_LEFT}{${RECORDED}}, -1)))` },
      {
        unit: "percentunit",
        steps: ["red", [0, "orange"], [0.25, "yellow"], [0.5, "green"]],
        max: 1,
        decimals: 1,
      },
    ),
    gauges(
      "Burn rate, last hour",
      "How many times as fast as allowed the error budget is used up. At 1 it lasts exactly 30 " +
        "days; 14.4 over the hour and its last 5 minutes pages. Empty without events.",
      { "{{slo}}": `sort_desc(max by (slo) (${BURN_RATE}{${RECORDED}}))` },
      { steps: ["green", [1, "yellow"], [6, "orange"], [14.4, "red"]], max: 20, decimals: 1 },
    ),
  ]);

const outcomes = timeline(
  "Canary runs by outcome",
  "The worst outcome of each canary in each interval. Red: the service failed. Orange: client " +
    "errors, that is the probe's key or account. Grey: the probe's own failures.",
  { "{{canary}} at {{location}}": OUTCOME_TIMELINE },
  { shown: OUTCOME_SHOWN },
);

/** An alert is about one of these at most, so that they fit into one column. */
const named = (expr: string) =>
  `label_join(${expr}, "about", "", ${ABOUT.map((label) => `"${label}"`).join(", ")})`;

const words = ({ page, ticket }: Severities): readonly Panel[] => [
  table(
    "Firing alerts",
    "Alerts that fire now, pages first. The watchdog always fires: if it is missing, Prometheus " +
      "has not loaded the rules, and this board can't warn.",
    named(`sort_desc(3 * ${alerts(page)} or 2 * ${alerts(ticket)} or ${alerts(".*")})`),
    {
      noValue: "no alert fires, not even the watchdog: the rules are not loaded",
      columns: [
        {
          label: "severity",
          title: "Severity",
          width: 80,
          shown: {
            [page]: { text: page, color: "red" },
            [ticket]: { text: ticket, color: "orange" },
            none: { text: "always on", color: "gray" },
          },
        },
        {
          label: "alertname",
          title: "Alert",
          links: [{ title: "Runbook", url: `${RUNBOOKS}/\${__value.text}.md` }],
        },
        { label: "location", title: "Location", width: 90 },
        {
          label: "about",
          title: "Canary, objective, promise",
          width: 210,
          shown: SLO_SHOWN,
          links: [{ title: "Status page", url: STATUS }],
        },
      ],
    },
  ),
  table(
    "Broken promises",
    "Violations in the time range, with the section of the interface that makes the promise. " +
      "One is enough to ask the service's owner. Counts are Prometheus' estimate, rounded down.",
    seen(eventsShown(`plumbline_promise_violations_total{${PROBE}}`, "promise"), "promise"),
    {
      columns: [
        {
          label: "promise",
          title: "Promise",
          shown: PROMISE_SHOWN,
          links: [PROMISE_LINK, { title: "Runbook", url: `${RUNBOOKS}/PlumblinePromiseBroken.md` }],
        },
        { label: "Value", title: "Times", width: 80, unit: "short" },
      ],
    },
  ),
];

const trend = row("Trend", [
  lines(
    "Bad events of each objective",
    "Share of bad events over 30 minutes. Dashed: what the objective allows on average. " +
      "Empty without events.",
    {
      "{{slo}}": `max by (slo) (${errorRatio("30m")}{${RECORDED}})`,
      "{{slo}} allowed": `1 - max by (slo) (${OBJECTIVE}{${RECORDED}})`,
    },
    { unit: "percentunit", dashed: ".* allowed" },
  ),
  lines(
    "Time since the last success, in intervals",
    "In multiples of each canary's interval. Around 1 is healthy; above 3, with 2 failed runs, " +
      "it pages.",
    {
      "{{canary}} at {{location}}": intervalsSince(
        "plumbline_canary_last_success_timestamp_seconds",
      ),
    },
    { unit: "none", steps: ["transparent", [3, "red"]], decimals: 1 },
  ),
  bars(
    "Runs ended, by outcome",
    "Canary runs by outcome; outcomes that did not occur are left out.",
    { "{{outcome}}": `${events(`plumbline_canary_runs_total{${CANARY}}`, "outcome")} > 0` },
  ),
  lines(
    "Failed requests",
    "Share of the probe's requests that got 5xx or no complete response.",
    {
      "5xx or no response": ratio(
        events(`${REQUESTS}{${PROBE},status=~"0|5.."}`),
        events(`${REQUESTS}{${PROBE}}`),
      ),
    },
    { unit: "percentunit", shade: "red" },
  ),
]);

const changed = row("Changes", [
  bars(
    "Changes of the probe",
    "Restarts, reloads and clock steps: they change the graphs, although the service did not " +
      "change.",
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
    "Version and start of each probe.",
    [
      `max by (location, instance, version) (plumbline_build_info{${PROBE}}`,
      "* on (job, instance, location) group_left ()",
      `(process_start_time_seconds{${PROBE}} * 1000))`,
    ].join(" "),
    {
      width: 8,
      height: 6,
      columns: [
        { label: "location", title: "Location", width: 90 },
        { label: "instance", title: "Instance" },
        { label: "version", title: "Version", width: 70 },
        { label: "Value", title: "Running since", unit: "dateTimeFromNow", width: 110 },
      ],
    },
  ),
]);

/** `severities`: the names under which alerts are routed. */
export const overviewBoard = (severities: Severities): Board => ({
  id: "overview",
  title: "Plumbline / Overview",
  description:
    "Whether the service keeps its promises, the error budget that is left, firing alerts.",
  variables: ["job", "service", "environment", "location", "instance", "canary"],
  from: "now-6h",
  rows: [
    now(severities),
    { title: "Canaries, alerts, promises", panels: [outcomes, ...words(severities)] },
    trend,
    changed,
  ],
});
