/** Whether webhooks come, when, and to whom. Spec §6. */

import { isObject } from "../../decode/decoded.ts";
import { decodeJob } from "../../decode/job.ts";
import type { Delivery } from "../../delivery.ts";
import { isSuccess, jsonBody } from "../../exchange.ts";
import { isTerminal } from "../../states.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { isSuccessStep, scaled, timesOf } from "./case.ts";

/** Ours: an end that is not delivered this long after it was known is not delivered. */
const DELIVERY_GRACE_MS = 20_000;

export function judgeDelivered(run: WebhookRun): Finding {
  const promise = "webhook.delivered";
  const ended = run.cases.filter((each) => each.endKnownAtMs !== null && each.kind !== "refused");
  if (ended.length === 0) return unobserved(promise, "no job with a webhook came to its end");
  const graceMs = Math.max(scaled(run, DELIVERY_GRACE_MS), 1_000) + run.lagMs;
  const missing = ended.filter(
    (each) =>
      each.deliveries.length === 0 && each.watchedUntilMs - (each.endKnownAtMs ?? 0) >= graceMs,
  );
  const ends = [...new Set(ended.map((each) => each.expected))];
  const evidence = { jobs: ended.length, missing: missing.length, ends };
  if (missing.length > 0) {
    const states = [...new Set(missing.map((each) => each.expected))].join(", ");
    return broken(
      promise,
      `${missing.length} of ${ended.length} ended jobs were never delivered (${states})`,
      { evidence, exchanges: missing.map((each) => each.looks.at(-1) ?? each.submission) },
    );
  }
  if (ended.some((each) => each.deliveries.length === 0)) {
    return inconclusive(promise, "some jobs ended too late to wait for their delivery", {
      evidence,
    });
  }
  return kept(promise, `${ended.length} ended jobs were delivered: ${ends.join(", ")}`, {
    evidence,
  });
}

export function judgeNotBeforeTerminal(run: WebhookRun): Finding {
  const promise = "webhook.not-before-terminal";
  const looked = run.cases.filter(
    (each) => each.deliveries.length > 0 && each.looks.some(isSuccess),
  );
  if (looked.length === 0) return unobserved(promise, "no delivered job could be looked at");
  const early = looked.filter((each) => each.looks.some(showsOpenJob));
  const evidence = { jobs: looked.length, early: early.length };
  if (early.length > 0) {
    return broken(
      promise,
      `${early.length} of ${looked.length} jobs were still under way after they had been delivered`,
      { evidence, exchanges: early.flatMap((each) => each.looks.filter(showsOpenJob)) },
    );
  }
  return kept(promise, `${looked.length} jobs had ended when their webhook arrived`, { evidence });
}

function showsOpenJob(look: WebhookCase["looks"][number]): boolean {
  const state = isSuccess(look) ? (decodeJob(jsonBody(look)).value?.state ?? null) : null;
  return state !== null && !isTerminal(state);
}

/** Nothing after a 200 is watched for this long: the longest of the first two waits, and some. */
const ONCE_WATCH_MS = 35_000;

export function judgeOnce(run: WebhookRun): Finding {
  const promise = "webhook.once";
  const accepted = run.cases.filter((each) => each.deliveries[0] && isSuccessStep(each.script[0]));
  const prompt = accepted.filter((each) => each.kind === "first");
  if (prompt.length === 0) return unobserved(promise, "no delivery was answered 200 at once");
  const repeated = prompt.filter((each) => each.deliveries.length > 1);
  const evidence = { jobs: prompt.length, arrivedMs: repeated.map(timesOf) };
  if (repeated.length > 0) {
    return broken(
      promise,
      `${repeated.length} of ${prompt.length} deliveries answered 200 came again`,
      { evidence, exchanges: repeated.map((each) => each.submission) },
    );
  }
  const watched = prompt.filter((each) => watchedMs(each) >= scaled(run, ONCE_WATCH_MS));
  if (watched.length === 0) {
    return inconclusive(promise, `watched for less than ${ONCE_WATCH_MS / 1_000} s`, { evidence });
  }
  return kept(promise, `${watched.length} deliveries answered 200 did not come again`, {
    evidence,
  });
}

/** From the last answer to the end of the watch. */
export function watchedMs(each: WebhookCase): number {
  const last = each.deliveries.at(-1);
  return last === undefined ? 0 : each.watchedUntilMs - (last.answeredAtMs ?? last.arrivedAtMs);
}

export function judgeOnlyAsked(run: WebhookRun): Finding {
  const promise = "webhook.only-asked";
  const ids = new Set(run.unasked.map(({ jobId }) => jobId));
  if (ids.size === 0) return unobserved(promise, "no job without a webhook was submitted");
  const deliveries = run.cases.flatMap((each) => each.deliveries);
  const uncalled = deliveries.filter((delivery) => ids.has(namedJob(delivery) ?? ""));
  const evidence = { jobsWithout: ids.size, deliveries: deliveries.length };
  if (uncalled.length > 0) {
    return broken(
      promise,
      `${uncalled.length} deliveries are of jobs that were submitted without a webhook`,
      {
        evidence: {
          ...evidence,
          bodies: uncalled.slice(0, 3).map(({ body }) => body.slice(0, 300)),
        },
      },
    );
  }
  if (deliveries.length === 0) {
    return inconclusive(promise, "nothing at all was delivered", { evidence });
  }
  return kept(promise, `none of ${ids.size} jobs without a webhook was delivered`, { evidence });
}

/** The job that a delivery is about; null when its body does not say. */
export function namedJob(delivery: Delivery): string | null {
  const body = bodyOf(delivery);
  if (!isObject(body)) return null;
  const id = body.job_uuid ?? body.job_id;
  return typeof id === "string" ? id : null;
}

/** The body as JSON; undefined when it is none or was cut. */
export function bodyOf(delivery: Delivery): unknown {
  try {
    return JSON.parse(delivery.body) as unknown;
  } catch {
    return undefined;
  }
}
