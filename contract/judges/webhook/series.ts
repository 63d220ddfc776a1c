/** The attempts of every job's webhook, for the report's timeline. */

import { formatStep } from "../../jobs/delivery.ts";
import { rounded } from "../../numbers/figures.ts";
import type { WebhookJobSeries, WebhookSeries } from "../../run/series.ts";
import { keptFew } from "../../run/series.ts";
import { ownMs } from "../../time/promised-times.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { SILENCE_MS } from "./silence.ts";

/** Ours: rows that a reader takes in; a run has about forty jobs, half of them with retries. */
const JOBS_MAX = 40;
/** Ours: four are promised; a service that never stops is seen by its first ones. */
const ATTEMPTS_MAX = 10;

export function webhookSeries(run: WebhookRun): WebhookSeries {
  const cases = run.cases.filter(({ deliveries }) => deliveries.length > 0);
  // More than one delivery, or a script that asks for more.
  const shown = keptFew(cases, JOBS_MAX, ({ kind, deliveries }) => {
    return kind !== "first" || deliveries.length !== 1;
  });
  return {
    timeScale: run.times.secondMs / 1_000,
    rungs: run.times.webhookWaits.map(({ promisedMs, earliestMs, latestMs }) => {
      return { waitMs: promisedMs, earliestMs, latestMs: latestMs + run.lagMs };
    }),
    answerLimitMs: run.times.webhookAnswerMs,
    silenceMs: ownMs(run.times, SILENCE_MS),
    jobs: shown.map(jobSeries),
    omitted: cases.length - shown.length,
  };
}

function jobSeries(each: WebhookCase): WebhookJobSeries {
  const firstMs = each.deliveries[0]?.arrivedAtMs ?? 0;
  const after = (atMs: number) => rounded(atMs - firstMs, 1);
  return {
    kind: each.kind,
    jobId: each.jobId ?? "",
    attempts: each.deliveries
      .slice(0, ATTEMPTS_MAX)
      .map(({ arrivedAtMs, answer, answeredAtMs }) => ({
        atMs: after(arrivedAtMs),
        answer: formatStep(answer),
        answeredAtMs: answeredAtMs === null ? null : after(answeredAtMs),
      })),
    watchedUntilMs: after(each.watchedUntilMs),
  };
}
