/** What a finding on webhooks shows of its jobs: attempts, times in UTC, requests and answers. */

import type { Delivery } from "../../delivery.ts";
import { formatStep } from "../../delivery.ts";
import type { Sample } from "../../judging/claim.ts";
import { utc } from "../../timestamps.ts";
import type { Json, Quote } from "../../verdict.ts";
import { cutQuote } from "../../verdict.ts";
import { attemptTexts } from "./attempts.ts";
import type { WebhookCase } from "./case.ts";
import { endOf } from "./end.ts";

/** A delivery that shows what a finding says, and the job that it is of. */
export interface Shown {
  each: WebhookCase;
  delivery: Delivery;
}

/** How the job of a sample is shown: its attempts, the deliveries that tell most, its kind. */
export function seenOf(
  each: WebhookCase,
  deliveries: readonly Delivery[] = [],
  strata: Readonly<Record<string, string>> = {},
): Pick<Sample, "quotes" | "shown" | "strata"> {
  const { jobId, part } = each;
  const end = endOf(each);
  const ends = end === null ? {} : { ends: end };
  return {
    shown: jobOf(each),
    quotes: deliveries.map((delivery) => quoteOf({ each, delivery })),
    strata: { jobs: jobId ?? "", workers: part, ...ends, ...strata },
  };
}

function jobOf(each: WebhookCase): Json {
  const { jobId, part } = each;
  return { job: jobId, part, end: endOf(each), attempts: [...attemptTexts(each)] };
}

/** The head of the request without its secrets, and what the receiver answered. */
function quoteOf({ each, delivery }: Shown): Quote {
  const { method, arrivedAtMs, answeredAtMs, hungUpAtMs, headers, body, answer } = delivery;
  const number = each.deliveries.indexOf(delivery) + 1;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    request: `${method} webhook of ${each.jobId}, attempt ${number}, ${utc(arrivedAtMs)}`,
    requestBody: cutQuote([...head, "", body].join("\n")),
    answer: formatStep(answer),
    sentAtMs: arrivedAtMs,
    tookMs: (answeredAtMs ?? hungUpAtMs ?? arrivedAtMs) - arrivedAtMs,
    key: null,
  };
}

/** "job_1, attempt 2 at 2026-01-01T00:00:00.000Z", as a summary names the first of its jobs. */
export function nameOf({ each, delivery }: Shown): string {
  const number = each.deliveries.indexOf(delivery) + 1;
  return `${each.jobId}, attempt ${number} at ${utc(delivery.arrivedAtMs)}`;
}
