/**
 * webhook.wait-1 after refused connections, which leave no trace: what comes later than two waits
 * allow, was late whether or not the port was open by the first retry. Spec §6, §8.
 */

import { mostOf } from "../../extremes.ts";
import type { Sample } from "../../judging/claim.ts";
import { utc } from "../../timestamps.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { byHostLag, casesOf, endedCases, mayBeRefusedTwice, STALL_LAGS } from "./case.ts";
import { freeMs } from "./held.ts";
import { retryGraceMs } from "./retried.ts";
import { seenOf } from "./witness.ts";

/** None where the second retry may have been refused as well. */
export function lateAfterRefusal(run: WebhookRun): readonly Sample[] {
  const { times } = run;
  const [first, second] = times.webhookWaits;
  const others = endedCases(run).filter(({ isOtherFailing = false }) => !isOtherFailing);
  const twoWaitsMs = first.latestMs + second.latestMs + retryGraceMs(run);
  return casesOf(run, "refused").flatMap((each): readonly Sample[] => {
    const { deliveries, endKnownAtMs, submission, jobId, refusal } = each;
    const [delivery] = deliveries;
    if (delivery === undefined || endKnownAtMs === null || refusal === undefined) return [];
    if (mayBeRefusedTwice(run, each)) return [];
    const { arrivedAtMs } = delivery;
    const alike = others.filter(({ part }) => part === each.part);
    const usualMs = Math.max(0, mostOf(alike.map(firstAfterMs)));
    const low = freeMs(run, { fromMs: endKnownAtMs, toMs: arrivedAtMs }) - usualMs;
    if (low <= twoWaitsMs) return [];
    const lasted = `${Math.round(low / 1_000)} s or more after its first attempt was refused`;
    const what = `${jobId}'s next attempt came at ${utc(arrivedAtMs)}, ${lasted}`;
    return [
      {
        low,
        high: arrivedAtMs - submission.sentAtMs,
        what,
        tolerated: { low: 0, high: twoWaitsMs },
        above: [byHostLag(STALL_LAGS * refusal.lagMs)],
        traits: ["a refused connection"],
        ...seenOf(each, [delivery]),
      },
    ];
  });
}

/** The job's run and the way of its webhook. */
function firstAfterMs({ deliveries: [first], submission }: WebhookCase): number {
  return first === undefined ? 0 : first.arrivedAtMs - submission.sentAtMs;
}
