/** The board on webhooks: do they come, how late, after how many tries, are they genuine. */

import { bucketMatcher } from "../rules/recording.ts";
import type { Board, Panel, Query } from "./panel.ts";
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

const now: readonly Panel[] = [
  {
    kind: "stat",
    title: "Receiver",
    description:
      "Whether webhooks can arrive. Where none listens none is asked for, and nothing on this " +
      "board moves.",
    unit: "none",
    width: 6,
    height: 4,
    queries: [{ expr: `min(plumbline_webhook_receiver_listening{${PROBE}})` }],
    shown: {
      "1": { text: "listening", color: "green" },
      "0": { text: "not listening", color: "orange" },
    },
    steps: ["green"],
  },
  {
    kind: "stat",
    title: "Delivered, last hour",
    description: "Share of ended jobs whose webhook came in the time of all retries.",
    unit: "percentunit",
    width: 6,
    height: 4,
    queries: [
      {
        expr: ratio(
          eventsOfHour(`${deliveries("first")}`),
          eventsOfHour(`${deliveries("first|missing")}`),
        ),
      },
    ],
    steps: ["red", [0.95, "orange"], [0.99, "green"]],
    noValue: "none due",
    decimals: 1,
  },
  {
    kind: "stat",
    title: "Missing, in the time range",
    description: "Jobs that ended, and whose webhook never came. Two in an hour make a ticket.",
    unit: "none",
    width: 6,
    height: 4,
    queries: [{ expr: eventsShown(`${deliveries("missing")}`) }],
    steps: ["green", [0.5, "orange"], [1.5, "red"]],
    decimals: 0,
  },
  {
    kind: "stat",
    title: "Bad signatures, in the time range",
    description: "Deliveries whose signature was absent or wrong (webhook.signed, §5).",
    unit: "none",
    width: 6,
    height: 4,
    queries: [
      {
        expr: eventsShown(violations('="webhook.signed"')),
      },
    ],
    steps: ["green", [0.5, "red"]],
    decimals: 0,
  },
];

/** Delays by the try that they fit: at once, and after each wait of the specification (§6). */
const RUNGS: readonly (readonly [number, string])[] = [
  [2.5, "first try"],
  [10, "second try, after 5 s"],
  [60, "third try, after 30 s"],
  [600, "fourth try, after 5 min"],
];

const rungs: readonly Query[] = RUNGS.map(([bound, legend], at) => {
  const within = (seconds: number) =>
    events(`${DELAY}_bucket{${WORKER},${bucketMatcher(seconds)}}`);
  const before = RUNGS[at - 1];
  return {
    expr: before === undefined ? within(bound) : `${within(bound)} - ${within(before[0])}`,
    legend,
  };
});

const delays = (boundSeconds: number): readonly Panel[] => [
  {
    kind: "heatmap",
    title: "Delay",
    description:
      "Webhooks by the time from a job's end to their receipt. Bands at 5 s, 35 s and 335 s are " +
      "retries: the tries before them did not arrive.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [{ expr: buckets(DELAY, WORKER), legend: "{{le}}" }],
    interval: "1m",
  },
  {
    kind: "timeseries",
    title: "Delay by worker",
    description: "Median and 95 %. Dashed: the bound of the objective webhook-delay.",
    unit: "s",
    width: 12,
    height: 8,
    queries: [
      { expr: quantile(0.5, DELAY, WORKER, "worker"), legend: "{{worker}} median" },
      { expr: quantile(0.95, DELAY, WORKER, "worker"), legend: "{{worker}} 95 %" },
    ],
    steps: ["transparent", [boundSeconds, "orange"]],
    min: 0,
    interval: "2m",
  },
];

const deliveriesByKind: readonly Panel[] = [
  {
    kind: "bars",
    title: "Deliveries by try",
    description:
      "Which try a webhook seems to be, by its delay. The probe answers at once: anything but " +
      "first tries is the way or the sender.",
    unit: "short",
    width: 12,
    height: 8,
    queries: rungs,
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "bars",
    title: "Deliveries by outcome",
    description:
      "first: as it should be. repeated: came again although it was answered. missing: never " +
      "came. unsigned: a signature that is missing or does not fit, perhaps a stranger's. " +
      "unknown_token: no job of this probe, perhaps of the one before it.",
    unit: "short",
    width: 12,
    height: 8,
    queries: [
      {
        expr: events(`${deliveries(".+")}`, "outcome"),
        legend: "{{outcome}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
  {
    kind: "bars",
    title: "Promises on webhooks seen broken",
    description: "Observations that contradict a promise on webhooks, by its id.",
    unit: "short",
    width: 24,
    height: 7,
    queries: [
      {
        expr: seen(events(violations('=~"webhook[.].+"'), "promise"), "promise"),
        legend: "{{promise}}",
      },
    ],
    stacked: true,
    min: 0,
    interval: "1m",
  },
];

/** `boundSeconds`: of the objective webhook-delay. */
export const webhooksBoard = (boundSeconds: number): Board => ({
  id: "webhooks",
  title: "Plumbline / Webhooks",
  description: "Delay, retries, missing and repeated webhooks, and bad signatures.",
  variables: ["job", "environment", "location", "instance", "worker"],
  from: "now-6h",
  rows: [
    { title: "Now", panels: now },
    { title: "Its course", panels: [...delays(boundSeconds), ...deliveriesByKind] },
  ],
});
