/** What a finding on webhooks shows of its jobs: attempts, times in UTC, requests and answers. */

import { isObject } from "../../decode/decoded.ts";
import type { Delivery } from "../../delivery.ts";
import { formatStep } from "../../delivery.ts";
import type { Sample } from "../../judging/claim.ts";
import type { EndState } from "../../states.ts";
import { END_STATES, isTerminal, parseStatus } from "../../states.ts";
import { utc } from "../../timestamps.ts";
import type { Quote } from "../../verdict.ts";
import { cutQuote } from "../../verdict.ts";
import { attemptTexts, bodyOf } from "./attempts.ts";
import type { WebhookCase } from "./case.ts";

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
    shown: { job: jobId, part, end, attempts: [...attemptTexts(each)] },
    quotes: deliveries.map((delivery) => quoteOf({ each, delivery })),
    strata: { jobs: jobId ?? "", workers: part, ...ends, ...strata },
  };
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

/**
 * As it was seen, or else as its webhook tells; null where neither is so. How its worker's jobs
 * usually end tells nothing: it may have been cancelled after all, or have run for too long.
 */
export function endOf({ endSeen, deliveries }: Pick<WebhookCase, "endSeen" | "deliveries">) {
  if (endSeen !== null) return endSeen;
  for (const delivery of deliveries) {
    const told = toldIn(bodyOf(delivery));
    if (told !== null) return told;
  }
  return null;
}

function toldIn(body: unknown): EndState | null {
  const status = isObject(body) ? body.status : null;
  const state = typeof status === "string" ? parseStatus(status)?.state : null;
  return isTerminal(state) ? state : null;
}

/** Ends that none of the cases is known to have come to. */
export function endsNotTried(cases: readonly WebhookCase[]): readonly string[] {
  const ends = new Set(cases.map(endOf));
  return END_STATES.filter((end) => !ends.has(end)).map((end) => `jobs that end as ${end}`);
}
