/** Whether webhooks come, how often, and of which jobs. Spec §6. */

import { isObject } from "../../decode/decoded.ts";
import type { Delivery } from "../../delivery.ts";
import { ownMs } from "../../promised-times.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import {
  deliveryGraceMs,
  endedCases,
  isLostAnswer,
  isStalled,
  isSuccessStep,
  timesOf,
  watchedMs,
} from "./case.ts";

export function judgeDelivered(run: WebhookRun): Finding {
  const promise = "webhook.delivered";
  const ended = endedCases(run);
  if (ended.length === 0) return unobserved(promise, "no job with a webhook came to its end");
  const missing = ended.filter((each) => isUndelivered(run, each));
  const ends = [...new Set(ended.map((each) => each.expected))];
  const evidence = { jobs: ended.length, missing: missing.length, ends };
  if (missing.length === ended.length && run.receiverReach === "unknown") {
    const reason = "nothing was delivered: whether the service can reach the receiver is not known";
    return inconclusive(promise, reason, { evidence });
  }
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

function isUndelivered(run: WebhookRun, each: WebhookCase): boolean {
  if (each.deliveries.length > 0 || each.endKnownAtMs === null) return false;
  return each.watchedUntilMs - each.endKnownAtMs >= deliveryGraceMs(run);
}

/** Spec §6 waits 5 s and 30 s before it sends again; a repetition after either would be seen. */
const ONCE_WATCH_MS = 35_000;

export function judgeOnce(run: WebhookRun): Finding {
  const promise = "webhook.once";
  const prompt = run.cases.filter((each) => each.kind === "first" && isTaken(each.deliveries[0]));
  if (prompt.length === 0) return unobserved(promise, "no delivery was answered 200 at once");
  const all = prompt.filter((each) => each.deliveries.length > 1);
  const repeated = all.filter((each) => !isStalled(run, each));
  const lagsMs = all.map((each) => each.lagsMs.map(Math.round));
  const evidence = { jobs: prompt.length, arrivedMs: all.map(timesOf), lagsMs };
  if (isLostAnswer(run, repeated)) {
    const reason = "one delivery came again as if its answer had been lost on the way";
    return inconclusive(promise, reason, { evidence });
  }
  if (repeated.length > 0) {
    return broken(
      promise,
      `${repeated.length} of ${prompt.length} deliveries answered 200 came again`,
      { evidence, exchanges: repeated.map((each) => each.submission) },
    );
  }
  if (all.length > 0) {
    const reason = "deliveries came again while the machine was too busy to tell why";
    return inconclusive(promise, reason, { evidence });
  }
  const watched = prompt.filter((each) => watchedMs(each) >= ownMs(run.times, ONCE_WATCH_MS));
  if (watched.length === 0) {
    return inconclusive(promise, `watched for less than ${ONCE_WATCH_MS / 1_000} s`, { evidence });
  }
  return kept(promise, `${watched.length} deliveries answered 200 did not come again`, {
    evidence,
  });
}

/** Answered 200 while the sender was still there: one that hung up may not know of the answer. */
export function isTaken(delivery: Delivery | undefined): boolean {
  return (
    delivery !== undefined &&
    isSuccessStep(delivery.answer) &&
    delivery.answeredAtMs !== null &&
    delivery.hungUpAtMs === null
  );
}

export function judgeOnlyAsked(run: WebhookRun): Finding {
  const promise = "webhook.only-asked";
  const ids = new Set(run.unasked.map(({ jobId }) => jobId));
  if (ids.size === 0) return unobserved(promise, "no job without a webhook was submitted");
  const deliveries = run.cases.flatMap((each) => each.deliveries);
  const uncalled = deliveries.filter((delivery) => ids.has(namedJob(delivery) ?? ""));
  const settled = run.unasked.filter(
    ({ endKnownAtMs, watchedUntilMs }) =>
      endKnownAtMs !== null && watchedUntilMs - endKnownAtMs >= deliveryGraceMs(run),
  );
  const evidence = {
    jobsWithout: ids.size,
    settled: settled.length,
    deliveries: deliveries.length,
  };
  if (uncalled.length > 0) {
    const bodies = uncalled.slice(0, 3).map(({ body }) => body.slice(0, 300));
    return broken(
      promise,
      `${uncalled.length} deliveries are of jobs that were submitted without a webhook`,
      { evidence: { ...evidence, bodies } },
    );
  }
  if (deliveries.length === 0) {
    return inconclusive(promise, "nothing at all was delivered", { evidence });
  }
  if (settled.length === 0) {
    return inconclusive(promise, "no job without a webhook was watched beyond its end", {
      evidence,
    });
  }
  return kept(promise, `none of ${settled.length} jobs without a webhook was delivered`, {
    evidence,
  });
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
