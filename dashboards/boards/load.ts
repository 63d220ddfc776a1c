/** The board on load runs, by k6's remote write: verdicts, answers, the generator, a second run. */

import { PROMISES } from "../../contract/promises.ts";
import { gauges, lines, row, stat, table } from "./kinds.ts";
import type { Board, Shown } from "./panel.ts";
import { PROMISE_LINK } from "./panel.ts";
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

/**
 * Promises of one verdict, counted; 0 where there is none, nothing where there is no run. Of a
 * promise that several scenarios judge, the worst verdict counts, as in the report.
 */
const count = (code: number) => `sum(max by (run, promise) (${verdicts}) == bool ${code})`;

const judged = row("Verdicts", [
  stat(
    "Verdicts of the run",
    "Promises by verdict, of those that k6 judges. The report has all of them, with the " +
      "evidence. A capacity search judges no promises.",
    { broken: count(3), inconclusive: count(2), unobserved: count(1), kept: count(0) },
    {
      width: 8,
      height: 8,
      steps: ["gray"],
      stepsOf: {
        broken: ["gray", [1, "red"]],
        inconclusive: ["gray", [1, "orange"]],
        kept: ["gray", [1, "green"]],
      },
    },
  ),
  table(
    "Promises",
    "The last verdict on each promise of the run, the worst first.",
    `sort_desc(max by (promise, scenario) (${verdicts}))`,
    {
      width: 16,
      columns: [
        { label: "Value", title: "Verdict", width: 120, shown: VERDICT_SHOWN },
        { label: "promise", title: "Promise", shown: PROMISE_SHOWN, links: [PROMISE_LINK] },
        { label: "scenario", title: "Scenario", width: 110 },
      ],
    },
  ),
]);

/** Without requests to our own receiver, which wait there until a webhook arrives. */
const toService = (selector: string) => `${selector},name!="receiver"`;
const REQUESTS = `rate(k6_http_reqs_total{${toService(RUN)}}[${RATE}])`;
const durations = (stat: string) => `k6_http_req_duration_${stat}{${toService(RUN)}}`;

const load = row("Load and responses", [
  lines(
    "Requests",
    "Requests a second to the service, by scenario. The steps of a capacity search follow each " +
      "other.",
    { "{{scenario}}": `sum by (scenario) (${REQUESTS})` },
    { unit: "reqps", stacked: true },
  ),
  lines(
    "Responses by status",
    "Responses a second. Red: 5xx, which count for load.errors, and 0 for no complete " +
      "response. Orange: 4xx; scenarios that exceed limits on purpose get 429.",
    { "{{status}}": `sum by (status) (${REQUESTS})` },
    { unit: "reqps", stacked: true },
  ),
  lines(
    "Latency by route, 95 %",
    "Over the run so far: k6 computes quantiles over the whole run, so that a late change shows " +
      "little.",
    { "{{name}}": `max by (name) (${durations("p95")})` },
  ),
  lines("Latency of the slowest route", "Median, 95th and 99th percentile over the run so far.", {
    median: `max(${durations("p50")})`,
    "95 %": `max(${durations("p95")})`,
    "99 %": `max(${durations("p99")})`,
  }),
]);

const generator = row("Load generator", [
  lines(
    "Time blocked before a request",
    "95th percentile: connections that had to be opened, or a busy machine. Latency above " +
      "does not include it.",
    { "{{scenario}}": `max by (scenario) (k6_http_req_blocked_p95{${RUN}})` },
    { width: 8 },
  ),
  lines(
    "Virtual users",
    "A scenario runs in one virtual user, which sends many requests at once. Only a capacity " +
      "search for requests needs one for each request in flight.",
    { "{{scenario}}": `sum by (scenario) (k6_vus{${RUN}})` },
    { unit: "none", width: 8 },
  ),
  stat(
    "Traffic",
    "Bytes that the load generator sent and received in the runs shown. k6 counts them when a " +
      "scenario ends: a run that has not ended adds nothing.",
    {
      sent: `sum(${last("k6_data_sent_total", RUN)})`,
      received: `sum(${last("k6_data_received_total", RUN)})`,
    },
    { unit: "bytes", width: 8, height: 8, noValue: "the scenario has not ended" },
  ),
]);

const ofRoutes = (stat: string, selector: string) =>
  `max by (name) (${last(`k6_http_req_duration_${stat}`, toService(selector))})`;

const compared = row("Comparison with another run", [
  gauges(
    "Latency ratio to the other run, 95 %",
    "This run divided by the run under “Compare with”, by route: 1 is the same. Two runs are " +
      "no proof: use `plumbline compare` where it matters.",
    { "{{name}}": `${ofRoutes("p95", RUN)} / (${ofRoutes("p95", BASELINE)} > 0)` },
    { width: 12, height: 10, steps: ["green", [1.1, "yellow"], [1.5, "red"]], max: 3, decimals: 2 },
  ),
  table(
    "Verdicts that differ",
    "Promises whose verdict in this run differs from that in the other.",
    [
      `(max by (promise) (${verdicts})`,
      `!= max by (promise) (${last("k6_plumbline_verdict", BASELINE)}))`,
      'or on () label_replace(vector(0), "promise", "none", "", "")',
    ].join(" "),
    {
      height: 10,
      columns: [
        { label: "Value", title: "In this run", width: 120, shown: VERDICT_SHOWN },
        {
          label: "promise",
          title: "Promise",
          shown: { none: { text: "no verdict differs" }, ...PROMISE_SHOWN },
          links: [PROMISE_LINK],
        },
      ],
    },
  ),
]);

export const LOAD: Board = {
  id: "load",
  title: "Plumbline / Load runs",
  description:
    "Runs of plumbline gate or capacity with --prometheus-rw: verdicts, load, comparison.",
  variables: ["run", "baseline", "scenario"],
  from: "now-3h",
  rows: [judged, load, generator, compared],
};
