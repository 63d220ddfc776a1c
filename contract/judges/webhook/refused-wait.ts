/**
 * webhook.wait-1 after refused connections, which leave no trace: what comes later than two waits
 * allow, was late whether or not the port was open by the first retry. Spec §6, §8.
 */

import { mostOf } from "../../extremes.ts";
import type { Sample } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import { utc } from "../../timestamps.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { casesOf, endedCases } from "./case.ts";
import { freeMs } from "./held.ts";
import { retryGraceMs } from "./retried.ts";
import { seenOf } from "./witness.ts";

/** Ours: from the last end of their jobs until the port opens, in stated time. */
export const REFUSED_FOR_MS = 1_500;

/** None where the second retry may have been refused as well. */
export function lateAfterRefusal(run: WebhookRun): readonly Sample[] {
  const { times } = run;
  const [first, second] = times.webhookWaits;
  const refused = casesOf(run, "refused");
  const endsMs = refused.map((each) => each.endKnownAtMs ?? Number.POSITIVE_INFINITY);
  const openAtMs = mostOf(endsMs) + ownMs(times, REFUSED_FOR_MS) + retryGraceMs(run);
  const others = endedCases(run).filter(({ isOtherFailing = false }) => !isOtherFailing);
  const twoWaitsMs = first.latestMs + second.latestMs + retryGraceMs(run);
  return refused.flatMap((each): readonly Sample[] => {
    const { deliveries, endKnownAtMs, submission, jobId } = each;
    const [delivery] = deliveries;
    if (delivery === undefined || endKnownAtMs === null) return [];
    if (openAtMs > submission.receivedAtMs + first.earliestMs + second.earliestMs) return [];
    const { arrivedAtMs } = delivery;
    const alike = others.filter(({ part }) => part === each.part);
    const usualMs = Math.max(0, mostOf(alike.map(firstAfterMs)));
    const low = freeMs(run, { fromMs: endKnownAtMs, toMs: arrivedAtMs }) - usualMs;
    if (low <= twoWaitsMs) return [];
    const lasted = `${Math.round(low / 1_000)} s or more after its first attempt was refused`;
    const what = `${jobId}'s next attempt came at ${utc(arrivedAtMs)}, ${lasted}`;
    const high = arrivedAtMs - submission.receivedAtMs;
    return [{ low, high, what, traits: ["a refused connection"], ...seenOf(each, [delivery]) }];
  });
}

/** The job's run and the way of its webhook. */
function firstAfterMs({ deliveries: [first], submission }: WebhookCase): number {
  return first === undefined ? 0 : first.arrivedAtMs - submission.receivedAtMs;
}
