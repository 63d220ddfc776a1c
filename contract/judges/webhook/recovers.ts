/** webhook.recovers: a retry that is answered 200 ends the series. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import type { Attempt } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { watchedMs } from "./case.ts";
import { ONCE_WATCH_MS } from "./once.ts";
import { RETRY_GRACE_MS } from "./retried.ts";
import { silenceClaim, takenIn } from "./silence.ts";

export function recoversClaim(run: WebhookRun): Claim {
  return silenceClaim(run, {
    promise: "webhook.recovers",
    taken: takenIn(run, (number) => number > 1),
    isWatched: (attempt) => isWatched(run, attempt),
    off: "went on after a retry was answered 200",
    of: "series",
    kept: "series ended with a 200 response",
    without: "no retry was answered 200",
  });
}

/** Watched longer than the next wait would have been, at least as long as any delivery. */
function isWatched({ times }: WebhookRun, { each, number }: Attempt): boolean {
  const next = times.webhookWaits[number - 1]?.promisedMs ?? 0;
  const neededMs = Math.max(ownMs(times, ONCE_WATCH_MS), next + ownMs(times, RETRY_GRACE_MS));
  return watchedMs(each) >= neededMs;
}
