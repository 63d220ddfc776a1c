/** What a finding on webhooks shows of its jobs: attempts, times in UTC, requests and answers. */

import type { AnswerStep } from "../../jobs/delivery.ts";
import { formatStep } from "../../jobs/delivery.ts";
import type { Sample } from "../../judging/claim.ts";
import { END_STATES } from "../../states.ts";
import { utc } from "../../time/timestamps.ts";
import type { Quote } from "../../verdict.ts";
import { cutQuote } from "../../verdict.ts";
import type { Attempt, WatchedJob } from "./timeline.ts";

/** How the job of a sample is shown: its attempts, those of them that tell most, its kind. */
export function seenOf(
  { jobId, part, end, attempts }: WatchedJob,
  quoted: readonly Attempt[] = [],
  strata: Readonly<Record<string, string>> = {},
): Pick<Sample, "quotes" | "shown" | "strata"> {
  const ends = end === null ? {} : { ends: end };
  return {
    shown: { job: jobId, part, end, attempts: attempts.map(attemptText) },
    quotes: quoted.map(quoteOf),
    strata: { jobs: jobId ?? "", workers: part, ...ends, ...strata },
  };
}

/** What was asked for and how it was answered. */
function attemptText({ number, delivery }: Attempt): string {
  const { arrivedAtMs, method, answer, answeredAtMs, hungUpAtMs } = delivery;
  const after = (ms: number) => `after ${Math.round(ms - arrivedAtMs)} ms`;
  const answered = answeredAtMs === null ? "" : ` ${after(answeredAtMs)}`;
  const left = hungUpAtMs === null ? "" : `, hung up ${after(hungUpAtMs)}`;
  const text = `${statusText(answer)}${answered}${bodyText(answer)}`;
  return `${number}: ${utc(arrivedAtMs)} ${method}, ${text}${left}`;
}

/** When it came is told beside it. */
function statusText(answer: AnswerStep): string {
  return answer.kind === "status" ? String(answer.status) : formatStep(answer);
}

function bodyText(answer: AnswerStep): string {
  if (answer.kind !== "status" || answer.bodyMs === undefined) return "";
  return `, its body ${Math.round(answer.bodyMs)} ms later`;
}

/** The head of the request without its secrets, and what the receiver answered. */
function quoteOf({ each, number, delivery }: Attempt): Quote {
  const { method, arrivedAtMs, answeredAtMs, hungUpAtMs, headers, body, answer } = delivery;
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return {
    request: `${method} webhook of ${each.jobId}, attempt ${number}, ${utc(arrivedAtMs)}`,
    requestBody: cutQuote([...head, "", body].join("\n")),
    answer: `${statusText(answer)}${bodyText(answer)}`,
    sentAtMs: arrivedAtMs,
    tookMs: (answeredAtMs ?? hungUpAtMs ?? arrivedAtMs) - arrivedAtMs,
    key: null,
  };
}

/** Ends that none of the jobs is known to have come to. */
export function endsNotTried(jobs: readonly WatchedJob[]): readonly string[] {
  const ends = new Set(jobs.map(({ end }) => end));
  return END_STATES.filter((end) => !ends.has(end)).map((end) => `jobs that end as ${end}`);
}
