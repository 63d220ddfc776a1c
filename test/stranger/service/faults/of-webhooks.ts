/** Faults of webhooks. */

import { always, oneIn, only } from "./fault.ts";

export const WEBHOOK_FAULTS = {
  "webhook-lost-at-restart": oneIn(30, "webhook.delivered", "load.webhooks"),
  "no-webhook-of-cancelled": only("cancelled jobs", "webhook.delivered"),
  "no-webhook-of-lists": only("one worker", "webhook.delivered", "load.webhooks"),
  "webhooks-dropped-in-bursts": only("over 12 ends a second", "load.webhooks"),
  "put-for-post": { ...oneIn(150, "webhook.delivered"), askedWith: ["load.webhooks"] },
  "webhook-while-storing": only("runs over 2.5 s", "webhook.not-before-terminal"),
  "webhook-while-storing-when-busy": {
    ...only("runs over 2.5 s beside over 10 ends a second", "webhook.not-before-terminal"),
    askedWith: ["load.webhooks"],
  },
  "fired-at-in-epoch": always("webhook.body"),
  "event-left-out": { ...oneIn(150, "webhook.body"), askedWith: ["load.webhooks"] },
  "webhook-result-as-text": always("webhook.body", "webhook.result"),
  "webhook-list-cut": only("lists", "webhook.result"),
  "webhook-buffer-left-by-empty": only("workers without output", "webhook.result"),
  "webhook-of-previous-job": oneIn(20, "webhook.truthful"),
  "end-not-stored": { ...oneIn(150, "webhook.truthful"), askedWith: ["load.webhooks"] },
  "failed-told-as-completed": only("failed jobs", "webhook.truthful"),
  "unsigned-by-one-node": oneIn(8, "webhook.signed"),
  "moved-redeliveries-mixed-up": {
    ...only("redeliveries of one account", "webhook.truthful"),
    askedWith: ["load.webhooks"],
  },
  "moved-redeliveries-unsigned": {
    ...only("redeliveries of one account", "webhook.signed"),
    askedWith: ["load.webhooks"],
  },
  "moved-redeliveries-go-on": {
    ...only("redeliveries of one account", "webhook.recovers"),
    askedWith: ["load.webhooks"],
  },
  "retry-signed-as-first": only("redeliveries", "webhook.signed"),
  "delivered-again-by-second-consumer": oneIn(10, "webhook.once"),
  "redirect-counts-as-success": only("3xx", "webhook.retried"),
  "gives-up-on-404": only("404", "webhook.retried"),
  "reset-not-retried": only("connections that break off", "webhook.retried"),
  "query-lost-on-retry": only("addresses with a query", "webhook.retried"),
  "retries-lost-at-deploy": oneIn(4, "webhook.retried"),
  "last-retry-missing": only("the third retry", "webhook.retried"),
  "server-errors-wait-double": only("the first retry after 5xx", "webhook.wait-1"),
  "second-wait-in-doubles": always("webhook.wait-2"),
  "third-wait-cut-to-minutes": always("webhook.wait-3"),
  "fourth-retry": always("webhook.gives-up"),
  "timed-out-retried-on": only("timed-out jobs", "webhook.gives-up"),
  "answer-limit-shorter-on-retry": only(
    "redeliveries",
    "webhook.answer-time",
    "webhook.once",
    "webhook.recovers",
  ),
  "third-success-unseen": only("the third attempt", "webhook.recovers"),
  "webhook-address-sticks": only("jobs after one with a webhook", "webhook.only-asked"),
  "address-sticks-to-failures": only("failed jobs", "webhook.only-asked"),
} as const;
