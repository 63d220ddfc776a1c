/** webhook.gives-up: there is no fifth attempt, whatever the fourth was answered. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { countedClaim } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import { count } from "../job/sample.ts";
import { failedIn, failureText } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { watchedMs } from "./case.ts";
import { endsNotTried } from "./end.ts";
import { nameOf, seenOf } from "./witness.ts";

/** The first, and three retries. Spec §6. */
const ATTEMPTS_MAX = 4;

/** Ours: the silence after the last attempt, longer than the longest wait. */
export const SILENCE_MS = 310_000;

export function givesUpClaim(run: WebhookRun): Claim {
  const last = failedIn(run).filter(({ number }) => number === ATTEMPTS_MAX);
  const silent = last.filter(({ each, next }) => {
    return next === null && watchedMs(each) >= ownMs(run.times, SILENCE_MS);
  });
  return countedClaim({
    promise: "webhook.gives-up",
    faults: last.flatMap(({ each, next }) => {
      if (next === null) return [];
      const count = `${each.deliveries.length} attempts, promised ${ATTEMPTS_MAX} at the most`;
      return [{ what: `${count}: ${nameOf({ each, delivery: next })}`, ...seenOf(each, [next]) }];
    }),
    clean: silent.map(({ each, delivery }) => {
      return seenOf(each, [], { "ways to fail": failureText(delivery.answer) });
    }),
    of: "jobs",
    kept: `${count(silent.length, "job")}: no delivery after attempt ${ATTEMPTS_MAX}`,
    without:
      last.length === 0
        ? `no job was seen with ${ATTEMPTS_MAX} failed attempts`
        : `the ${SILENCE_MS / 1_000} s of silence after attempt ${ATTEMPTS_MAX} do not fit into ` +
          "this run",
    notTried: endsNotTried(silent.map(({ each }) => each)),
  });
}
