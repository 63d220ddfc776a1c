/** webhook.once: a delivery that was answered 200 does not come again. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import type { WebhookRun } from "./case.ts";
import { watchedMs } from "./case.ts";
import { silenceClaim, takenIn } from "./silence.ts";

/** Spec §6 waits 5 s and 30 s before it sends again; a repetition after either would be seen. */
export const ONCE_WATCH_MS = 35_000;

export function onceClaim(run: WebhookRun): Claim {
  return silenceClaim(run, {
    promise: "webhook.once",
    taken: takenIn(run, (number) => number === 1),
    isWatched: ({ each }) => watchedMs(each) >= ownMs(run.times, ONCE_WATCH_MS),
    off: "sent again after a 200 response",
    of: "deliveries",
    kept: "deliveries answered 200 were not sent again",
    without: "no delivery was answered 200 at once",
  });
}
