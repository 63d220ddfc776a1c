/** Whether webhooks come, how often, and of which jobs. Spec §6. */

import { counted } from "../../judging/claim.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import { namedJob, utc } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { deliveryGraceMs, endedCases } from "./case.ts";
import { groundsOf, nameOf, strengthOf } from "./witness.ts";

export function judgeDelivered(run: WebhookRun): Finding {
  const promise = "webhook.delivered";
  const ended = endedCases(run);
  if (ended.length === 0) return unobserved(promise, "no job with a webhook came to its end");
  const missing = ended.filter((each) => isUndelivered(run, each));
  const ends = [...new Set(ended.map((each) => each.expected))];
  const wrong = run.cases.flatMap((each) =>
    each.deliveries
      .filter(({ method }) => method !== "POST")
      .map((delivery) => ({ each, delivery })),
  );
  const evidence = {
    jobs: ended.length,
    missing: missing.length,
    wrongMethod: wrong.length,
    ends: counted(ended.map(({ expected }) => expected)),
    workers: counted(ended.map(({ part }) => part)),
  };
  if (missing.length === ended.length && run.receiverReach === "unknown") {
    const reason = "nothing was delivered: whether the service can reach the receiver is not known";
    return inconclusive(promise, reason, { evidence });
  }
  if (missing.length > 0) {
    const states = [...new Set(missing.map((each) => each.expected))].join(", ");
    const which = missing.slice(0, 1).map(missingText).join();
    return broken(
      promise,
      `${missing.length} of ${ended.length} ended jobs were never delivered (${states}): ${which}`,
      groundsOf(evidence, missing, {
        exchanges: missing.map((each) => each.looks.at(-1) ?? each.submission),
      }),
    );
  }
  const [first] = wrong;
  if (first !== undefined) {
    return broken(
      promise,
      `${wrong.length} deliveries came by ${first.delivery.method}, promised POST ` +
        `(${nameOf(first)})`,
      groundsOf(
        evidence,
        wrong.map(({ each }) => each),
        { shown: wrong },
      ),
    );
  }
  if (ended.some((each) => each.deliveries.length === 0)) {
    return inconclusive(promise, "some jobs ended too late to wait for their delivery", {
      evidence,
    });
  }
  return kept(promise, `${ended.length} ended jobs were delivered: ${ends.join(", ")}`, {
    evidence,
    strength: strengthOf({ count: ended.length, of: "jobs" }, ended),
  });
}

/** When its end was known, and until when nothing came. */
function missingText({ jobId, part, endKnownAtMs, watchedUntilMs }: WebhookCase): string {
  const ended = utc(endKnownAtMs ?? watchedUntilMs);
  return `${jobId} (${part}) had ended at ${ended}, nothing came until ${utc(watchedUntilMs)}`;
}

function isUndelivered(run: WebhookRun, each: WebhookCase): boolean {
  if (each.deliveries.length > 0 || each.endKnownAtMs === null) return false;
  return each.watchedUntilMs - each.endKnownAtMs >= deliveryGraceMs(run);
}

export function judgeOnlyAsked(run: WebhookRun): Finding {
  const promise = "webhook.only-asked";
  const ids = new Set(run.unasked.map(({ jobId }) => jobId));
  if (ids.size === 0) return unobserved(promise, "no job without a webhook was submitted");
  const deliveries = run.cases.flatMap((each) =>
    each.deliveries.map((delivery) => ({ each, delivery })),
  );
  const uncalled = deliveries.filter(({ delivery }) => ids.has(namedJob(delivery) ?? ""));
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
    const [first] = uncalled;
    const which =
      first === undefined
        ? ""
        : `: ${namedJob(first.delivery)} at ${utc(first.delivery.arrivedAtMs)}`;
    return broken(
      promise,
      `${uncalled.length} deliveries are of jobs that were submitted without a webhook${which}`,
      groundsOf(
        evidence,
        uncalled.map(({ each }) => each),
        { shown: uncalled },
      ),
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
    strength: looksAt(settled.length, "jobs"),
  });
}
