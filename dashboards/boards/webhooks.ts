/** The board on webhooks: do they come, how late, after how many tries, are they genuine. */

import { bucketMatcher } from "../rules/recording.ts";
import { bars, heatmap, lines, row, stat } from "./kinds.ts";
import type { Board, Panel, Query } from "./panel.ts";
import { sectionLink } from "./panel.ts";
import {
  buckets,
  events,
  eventsOfHour,
  eventsShown,
  PROBE,
  quantile,
  ratio,
  seen,
  violations,
  WORKER,
} from "./selectors.ts";

const DELAY = "plumbline_webhook_delay_seconds";
const deliveries = (outcome: string) =>
  `plumbline_webhook_deliveries_total{${PROBE},outcome=~"${outcome}"}`;

const now = row("Now", [
  stat(
    "Receiver",
    "Whether the probe can receive webhooks. Without a receiver it asks for none, and this " +
      "board stays empty.",
    `min(plumbline_webhook_receiver_listening{${PROBE}})`,
    {
      width: 6,
      shown: {
        "1": { text: "listening", color: "green" },
        "0": { text: "not listening", color: "orange" },
      },
      steps: ["green"],
    },
  ),
  stat(
    "Delivered, last hour",
    "Share of ended jobs whose webhook arrived before all retries were due.",
    ratio(eventsOfHour(`${deliveries("first")}`), eventsOfHour(`${deliveries("first|missing")}`)),
    {
      unit: "percentunit",
      width: 6,
      steps: ["red", [0.95, "orange"], [0.99, "green"]],
      noValue: "none due",
      decimals: 1,
    },
  ),
  stat(
    "Missing, in the time range",
    "Jobs that ended, and whose webhook never arrived. Two in an hour raise a ticket.",
    eventsShown(`${deliveries("missing")}`),
    { width: 6, steps: ["green", [0.5, "orange"], [1.5, "red"]], decimals: 0 },
  ),
  stat(
    "Bad signatures, in the time range",
    `Deliveries with a missing or wrong signature (webhook.signed, ${sectionLink("5")}).`,
    eventsShown(violations('="webhook.signed"')),
    { width: 6, steps: ["green", [0.5, "red"]], decimals: 0 },
  ),
]);

/** Delays by the attempt that they fit: at once, and after each wait of the retry schedule (§6). */
const ATTEMPTS: readonly (readonly [number, string])[] = [
  [2.5, "first attempt"],
  [10, "second attempt, after 5 s"],
  [60, "third attempt, after 30 s"],
  [600, "fourth attempt, after 5 min"],
];

const attempts: readonly Query[] = ATTEMPTS.map(([bound, legend], at) => {
  const within = (seconds: number) =>
    events(`${DELAY}_bucket{${WORKER},${bucketMatcher(seconds)}}`);
  const before = ATTEMPTS[at - 1];
  return {
    expr: before === undefined ? within(bound) : `${within(bound)} - ${within(before[0])}`,
    legend,
  };
});

const delays = (boundSeconds: number): readonly Panel[] => [
  heatmap(
    "Delay",
    "Webhooks by the time from a job's end to their receipt. Bands at 5 s, 35 s and 335 s are " +
      "retries: earlier attempts did not arrive.",
    { "{{le}}": buckets(DELAY, WORKER) },
  ),
  lines(
    "Delay by worker",
    "Median and 95th percentile. Dashed: the bound of the objective webhook-delay.",
    {
      "{{worker}} median": quantile(0.5, DELAY, WORKER, "worker"),
      "{{worker}} 95 %": quantile(0.95, DELAY, WORKER, "worker"),
    },
    { steps: ["transparent", [boundSeconds, "orange"]], interval: "2m" },
  ),
];

const deliveriesByKind: readonly Panel[] = [
  bars(
    "Deliveries by attempt",
    "Which attempt a webhook is, judged by its delay. The probe answers at once: later " +
      "attempts come from the network or the sender.",
    attempts,
  ),
  bars(
    "Deliveries by outcome",
    "first: expected. repeated: sent again although it was answered. missing: never arrived. " +
      "unsigned: signature missing or wrong, perhaps not from the service. unchecked: too long " +
      "for its signature to be checked. unknown_token: no job of this probe, perhaps of an " +
      "earlier one.",
    { "{{outcome}}": events(`${deliveries(".+")}`, "outcome") },
  ),
  bars(
    "Broken promises on webhooks",
    "Violations of promises on webhooks, by the promise's id.",
    { "{{promise}}": seen(events(violations('=~"webhook[.].+"'), "promise"), "promise") },
    { width: 24, height: 7, shade: "red", colors: { none: "green" } },
  ),
];

/** `boundSeconds`: of the objective webhook-delay. */
export const webhooksBoard = (boundSeconds: number): Board => ({
  id: "webhooks",
  title: "Plumbline / Webhooks",
  description: "Delay, retries, missing and repeated webhooks, bad signatures.",
  variables: ["job", "service", "environment", "location", "instance", "worker"],
  from: "now-6h",
  rows: [now, { title: "Trend", panels: [...delays(boundSeconds), ...deliveriesByKind] }],
});
