/** What a finding on webhooks shows of its jobs: attempts, times in UTC, requests and answers. */

import type { Delivery } from "../../delivery.ts";
import { formatStep } from "../../delivery.ts";
import type { Exchange } from "../../exchange.ts";
import type { EndState } from "../../job-history.ts";
import type { Sample } from "../../judging/claim.ts";
import type { Looks, Measured, Strength } from "../../strength.ts";
import type { Grounds, Json, Quote } from "../../verdict.ts";
import { cutQuote } from "../../verdict.ts";
import { attemptTexts, utc } from "./attempts.ts";
import type { WebhookCase } from "./case.ts";

/** Ours: a reader who wants more of them reads the record of the run. */
const JOBS_SHOWN_MAX = 10;
/** Ours: of five quotes that a report shows, so many are left for looks at the job. */
const DELIVERIES_QUOTED_MAX = 4;

/** A delivery that shows what a finding says, and the job that it is of. */
export interface Shown {
  each: WebhookCase;
  delivery: Delivery;
}

/** The grounds of a finding on these jobs, with the deliveries that tell most. */
export function groundsOf(
  evidence: Readonly<Record<string, Json>>,
  cases: readonly WebhookCase[],
  {
    shown = [],
    exchanges = [],
  }: { shown?: readonly Shown[]; exchanges?: readonly Exchange[] } = {},
): Grounds {
  const jobs = [...new Set(cases)].slice(0, JOBS_SHOWN_MAX).map(jobOf);
  const quotes = shown.slice(0, DELIVERIES_QUOTED_MAX).map(quoteOf);
  return { evidence: { ...evidence, shown: jobs }, quotes, exchanges };
}

/** How the job of a sample is shown: its attempts, the deliveries that tell most, its kind. */
export function seenOf(
  each: WebhookCase,
  deliveries: readonly Delivery[],
  strata: Readonly<Record<string, string>> = {},
): Pick<Sample, "job" | "quotes" | "strata"> {
  const { jobId, part, expected } = each;
  return {
    job: jobOf(each),
    quotes: deliveries.map((delivery) => quoteOf({ each, delivery })),
    strata: { jobs: jobId ?? "", workers: part, ends: expected, ...strata },
  };
}

function jobOf(each: WebhookCase): Json {
  const { jobId, part, expected } = each;
  return { job: jobId, part, end: expected, attempts: [...attemptTexts(each)] };
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

/** What so many looks at deliveries of these jobs rule out. */
export function strengthOf(
  { count, of }: Looks,
  cases: readonly WebhookCase[],
  more: { measured?: readonly Measured[]; ways?: readonly string[] } = {},
): Strength {
  const ends = new Set(cases.map(({ expected }) => expected));
  const different = (name: string, values: readonly unknown[]) =>
    values.length === 0 ? [] : [{ of: name, count: new Set(values).size }];
  const spread = [
    ...(of === "jobs" ? [] : different("jobs", cases)),
    ...different(
      "workers",
      cases.map(({ part }) => part),
    ),
    ...different("ends", [...ends]),
    ...different("ways to fail", more.ways ?? []),
  ];
  const notTried = endsNotTried(cases);
  return { looks: [{ of, count }, ...spread], measured: more.measured ?? [], notTried };
}

export function endsNotTried(cases: readonly WebhookCase[]): readonly string[] {
  const ends = new Set(cases.map(({ expected }) => expected));
  return ENDS.filter((end) => !ends.has(end)).map((end) => `jobs that end as ${end}`);
}

const ENDS = ["completed", "failed", "timeout", "cancelled"] as const satisfies readonly EndState[];
