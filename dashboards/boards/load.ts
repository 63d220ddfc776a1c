/** The board on load runs, by k6's remote write: verdicts, answers, the generator, a second run. */

import { PROMISES } from "../../contract/promises.ts";
import type { Board, Panel, Shown } from "./panel.ts";
import { BASELINE, RATE, RUN } from "./selectors.ts";

/** A load run is over when one looks at it: what it said last counts. */
const last = (metric: string, selector: string) =>
  `last_over_time(${metric}{${selector}}[$__range])`;

/** Codes of verdicts, as the scenarios write them. */
const VERDICT_SHOWN: Readonly<Record<string, Shown>> = {
  "3": { text: "broken", color: "red" },
  "2": { text: "inconclusive", color: "orange" },
  "1": { text: "unobserved", color: "gray" },
  "0": { text: "kept", color: "green" },
  "-1": { text: "not judged yet", color: "blue" },
};

const PROMISE_SHOWN: Readonly<Record<string, Shown>> = Object.fromEntries(
  PROMISES.map(({ id, section, title }) => [id, { text: `§${section} ${title} (${id})` }]),
);

const verdicts = last("k6_plumbline_verdict", RUN);

/** Series of one verdict, counted; 0 where there is none, nothing where there is no run. */
const count = (code: number) => `sum(${verdicts} == bool ${code})`;

const judged: readonly Panel[] = [
  {
    kind: "stat",
    title: "Verdicts of the run",
    description:
      "Promises by verdict. The report of the run has the evidence. A capacity search judges none.",
    unit: "none",
    width: 8,
    height: 8,
    queries: [
      { expr: count(3), legend: "broken" },
      { expr: count(2), legend: "inconclusive" },
      { expr: count(1), legend: "unobserved" },
      { expr: count(0), legend: "kept" },
    ],
    steps: ["gray"],
    stepsOf: {
      broken: ["gray", [1, "red"]],
      inconclusive: ["gray", [1, "orange"]],
      kept: ["gray", [1, "green"]],
    },
  },
  {
    kind: "table",
    title: "Promises",
    description: "The last verdict on each promise of the run, the worst first.",
    unit: "none",
    width: 16,
    height: 8,
    queries: [{ expr: `sort_desc(max by (promise, scenario) (${verdicts}))` }],
    columns: [
      { label: "Value", title: "Verdict", width: 120, shown: VERDICT_SHOWN },
      { label: "promise", title: "Promise", shown: PROMISE_SHOWN },
      { label: "scenario", title: "Scenario", width: 110 },
    ],
  },
];

const load: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Requests",
    description: "Sent a second, by scenario. The steps of a capacity search follow each other.",
    unit: "reqps",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `sum by (scenario) (rate(k6_http_reqs_total{${RUN}}[${RATE}]))`,
        legend: "{{scenario}}",
      },
    ],
    stacked: true,
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Answers by status",
    description:
      "A second. 429s belong to runs that press limits on purpose; 0 is no whole answer, 5xx " +
      "counts against load.errors.",
    unit: "reqps",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `sum by (status) (rate(k6_http_reqs_total{${RUN}}[${RATE}]))`,
        legend: "{{status}}",
      },
    ],
    stacked: true,
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Latency by route, 95 %",
    description:
      "Over the run so far: k6 tells quantiles of all that it has seen, so that a late change " +
      "shows little.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [{ expr: `max by (name) (k6_http_req_duration_p95{${RUN}})`, legend: "{{name}}" }],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Latency of all, in the run so far",
    description: "Median, 95 % and 99 % of the slowest route and status.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      { expr: `max(k6_http_req_duration_p50{${RUN}})`, legend: "median" },
      { expr: `max(k6_http_req_duration_p95{${RUN}})`, legend: "95 %" },
      { expr: `max(k6_http_req_duration_p99{${RUN}})`, legend: "99 %" },
    ],
    min: 0,
  },
];

const generator: readonly Panel[] = [
  {
    kind: "timeseries",
    title: "Waiting before a request is sent",
    description:
      "Time blocked in the generator before a request, 95 %: connections that had to be opened, " +
      "or a machine that was busy. Latency above does not hold it.",
    unit: "s",
    width: 8,
    height: 8,
    queries: [
      { expr: `max by (scenario) (k6_http_req_blocked_p95{${RUN}})`, legend: "{{scenario}}" },
    ],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Virtual users",
    description:
      "Scenarios run in one user each, which sends many requests at once. Only a search for a " +
      "capacity of requests takes as many as wait for an answer.",
    unit: "none",
    width: 8,
    height: 8,
    queries: [{ expr: `sum by (scenario) (k6_vus{${RUN}})`, legend: "{{scenario}}" }],
    min: 0,
  },
  {
    kind: "timeseries",
    title: "Traffic",
    description:
      "Sent and received by the generator. k6 counts it when an iteration ends, which may be the " +
      "end of the step.",
    unit: "bytes",
    width: 8,
    height: 8,
    queries: [
      { expr: `sum(rate(k6_data_sent_total{${RUN}}[${RATE}]))`, legend: "sent a second" },
      { expr: `sum(rate(k6_data_received_total{${RUN}}[${RATE}]))`, legend: "received a second" },
    ],
    min: 0,
  },
];

const ofRoutes = (stat: string, selector: string) =>
  `max by (name) (${last(`k6_http_req_duration_${stat}`, selector)})`;

const compared: readonly Panel[] = [
  {
    kind: "bargauge",
    title: "Latency against the other run, 95 %",
    description:
      "This run by the one chosen under “Compare with”, by route: 1 is the same. One run " +
      "against one is no proof: use `plumbline compare` where it matters.",
    unit: "none",
    width: 12,
    height: 10,
    queries: [
      { expr: `${ofRoutes("p95", RUN)} / (${ofRoutes("p95", BASELINE)} > 0)`, legend: "{{name}}" },
    ],
    steps: ["green", [1.1, "yellow"], [1.5, "red"]],
    min: 0,
    max: 3,
    decimals: 2,
  },
  {
    kind: "table",
    title: "Verdicts that differ",
    description: "Promises whose verdict in this run is not that of the other.",
    unit: "none",
    width: 12,
    height: 10,
    queries: [
      {
        expr: [
          `(max by (promise) (${verdicts})`,
          `!= max by (promise) (${last("k6_plumbline_verdict", BASELINE)}))`,
          'or on () label_replace(vector(0), "promise", "none", "", "")',
        ].join(" "),
      },
    ],
    columns: [
      { label: "Value", title: "In this run", width: 120, shown: VERDICT_SHOWN },
      {
        label: "promise",
        title: "Promise",
        shown: { none: { text: "no verdict differs" }, ...PROMISE_SHOWN },
      },
    ],
  },
];

export const LOAD: Board = {
  id: "load",
  title: "Plumbline / Load runs",
  description:
    "Runs of plumbline gate or capacity with --prometheus-rw: verdicts, load, generator, two runs.",
  variables: ["run", "baseline", "scenario"],
  from: "now-3h",
  rows: [
    { title: "Verdicts", panels: judged },
    { title: "Load and answers", panels: load },
    { title: "The generator", panels: generator },
    { title: "Against another run", panels: compared },
  ],
};
