/**
 * webhook.wait-1 after refused connections, which leave no trace: what comes later than two waits
 * allow, was late whether or not the port was open by the first retry. Spec §6, §8.
 */

import type { Sample } from "../../judging/claim.ts";
import { mostOf } from "../../numbers/extremes.ts";
import { utc } from "../../time/timestamps.ts";
import type { WebhookCase } from "./case.ts";
import { byHostLag, mayBeRefusedTwice, STALL_LAGS } from "./case.ts";
import { retryGraceMs } from "./retried.ts";
import type { WebhookTimeline } from "./timeline.ts";
import { freeMs } from "./timeline.ts";
import { seenOf } from "./witness.ts";

/** None where the second retry may have been refused as well. */
export function lateAfterRefusal(run: WebhookTimeline): readonly Sample[] {
  const { times, refused } = run;
  const [first, second] = times.webhookWaits;
  const others = run.ended.filter(({ isOtherFailing = false }) => !isOtherFailing);
  const twoWaitsMs = first.latestMs + second.latestMs + retryGraceMs(run);
  return refused.flatMap((each): readonly Sample[] => {
    const { attempts, endKnownAtMs, submission, jobId, refusal } = each;
    const [attempt] = attempts;
    if (attempt === undefined || endKnownAtMs === null || refusal === undefined) return [];
    if (mayBeRefusedTwice(run, each)) return [];
    const { arrivedAtMs } = attempt.delivery;
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
        ...seenOf(each, [attempt]),
      },
    ];
  });
}

/** The job's run and the way of its webhook. */
function firstAfterMs({ deliveries: [first], submission }: WebhookCase): number {
  return first === undefined ? 0 : first.arrivedAtMs - submission.sentAtMs;
}
