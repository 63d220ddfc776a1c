/** Faults of limits, charges and redeliveries. */

import { TELLING_LOAD_MS } from "../load-lasting.ts";
import { itSees } from "./seen-with-choices.ts";

itSees([
  // Just beyond the plan nothing was refused, for too short a time to tell.
  {
    fault: "rate.sustained/7.5-percent-over",
    variant: "B",
    choices: { limiter: "gcra", refusedCount: "yes", times: "varying" },
    seed: 777_504_069,
  },
  // What it may have saved up while it refused a burst made good what is just beyond the plan.
  {
    fault: "rate.sustained/50-percent-over",
    variant: "A",
    choices: { limiter: "sliding-log", refusedCount: "yes" },
  },
  // In half of each window a second is enough: all waits were tried in it.
  {
    fault: "rate.retry-after-sufficient/pro-alone",
    variant: "B",
    choices: { limiter: "sliding-counter", refusedCount: "yes", retryAfter: "http-date" },
    beside: ["rate.sustained"],
  },
  // A step of the refill is more than was asked for elsewhere.
  {
    fault: "rate.all-endpoints/each-its-own",
    variant: "B",
    choices: { limiter: "ticking-bucket" },
  },
  // A job moves the balance by too few tokens to tell what one is worth.
  {
    fault: "load.accounting/free-keys-charged-twice",
    variant: "B",
    choices: { balanceDigits: "coarse", balanceUnit: "tokens" },
    loadMs: TELLING_LOAD_MS,
  },
  // What an attempt itself holds back is over when the wait for the next one begins.
  {
    fault: "webhook.wait-1/20-s-after-silence",
    variant: "B",
    choices: { webhookWaitFrom: "start" },
  },
]);
