/** The board on webhooks: do they come, how late, after how many tries, are they genuine. */

import { bucketMatcher } from "../rules/recording.ts";
import { bars, heatmap, lines, row, stat } from "./kinds.ts";
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

const now = row("Now", [
  stat(
    "Receiver",
    "Whether webhooks can arrive. Where none listens none is asked for, and nothing on this " +
      "board moves.",
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
    "Share of ended jobs whose webhook came in the time of all retries.",
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
    "Jobs that ended, and whose webhook never came. Two in an hour make a ticket.",
    eventsShown(`${deliveries("missing")}`),
    { width: 6, steps: ["green", [0.5, "orange"], [1.5, "red"]], decimals: 0 },
  ),
  stat(
    "Bad signatures, in the time range",
    "Deliveries whose signature was absent or wrong (webhook.signed, §5).",
    eventsShown(violations('="webhook.signed"')),
    { width: 6, steps: ["green", [0.5, "red"]], decimals: 0 },
  ),
]);

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
  heatmap(
    "Delay",
    "Webhooks by the time from a job's end to their receipt. Bands at 5 s, 35 s and 335 s are " +
      "retries: the tries before them did not arrive.",
    { "{{le}}": buckets(DELAY, WORKER) },
  ),
  lines(
    "Delay by worker",
    "Median and 95 %. Dashed: the bound of the objective webhook-delay.",
    {
      "{{worker}} median": quantile(0.5, DELAY, WORKER, "worker"),
      "{{worker}} 95 %": quantile(0.95, DELAY, WORKER, "worker"),
    },
    { steps: ["transparent", [boundSeconds, "orange"]], interval: "2m" },
  ),
];

const deliveriesByKind: readonly Panel[] = [
  bars(
    "Deliveries by try",
    "Which try a webhook seems to be, by its delay. The probe answers at once: anything but " +
      "first tries is the way or the sender.",
    rungs,
  ),
  bars(
    "Deliveries by outcome",
    "first: as it should be. repeated: came again although it was answered. missing: never " +
      "came. unsigned: a signature that is missing or does not fit, perhaps a stranger's. " +
      "unchecked: longer than the receiver reads, so that nobody can tell whose it is. " +
      "unknown_token: no job of this probe, perhaps of the one before it.",
    { "{{outcome}}": events(`${deliveries(".+")}`, "outcome") },
  ),
  bars(
    "Promises on webhooks seen broken",
    "Observations that contradict a promise on webhooks, by its id.",
    { "{{promise}}": seen(events(violations('=~"webhook[.].+"'), "promise"), "promise") },
    { width: 24, height: 7 },
  ),
];

/** `boundSeconds`: of the objective webhook-delay. */
export const webhooksBoard = (boundSeconds: number): Board => ({
  id: "webhooks",
  title: "Plumbline / Webhooks",
  description: "Delay, retries, missing and repeated webhooks, and bad signatures.",
  variables: ["job", "environment", "location", "instance", "worker"],
  from: "now-6h",
  rows: [now, { title: "Its course", panels: [...delays(boundSeconds), ...deliveriesByKind] }],
});
