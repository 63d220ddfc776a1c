/** That nothing comes after an answer 200, whichever attempt it was to. Spec §6. */

import type { Claim, Explanation } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import type { Attempt } from "./attempts.ts";
import { attemptsOf, isSlowSuccess, isTaken } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { hasStalled, isStalled } from "./case.ts";
import { endsNotTried } from "./end.ts";
import { nameOf, seenOf } from "./witness.ts";

/** Of each job the first attempt that was answered 200 at once. */
export function takenIn(
  run: WebhookRun,
  isWanted: (number: number) => boolean,
): readonly Attempt[] {
  const taken = attemptsOf(run.cases).filter(({ delivery }) => isTaken(delivery));
  const first = taken.filter(({ each, number }) => {
    return !each.deliveries.slice(0, number - 1).some(isTaken);
  });
  return first.filter(({ number, delivery }) => isWanted(number) && !isSlowSuccess(delivery));
}

interface Silence extends Pick<Claim, "promise" | "of" | "off" | "without"> {
  taken: readonly Attempt[];
  /** Whether anything that came again would have been seen. */
  isWatched: (attempt: Attempt) => boolean;
  /** Said after the number of those that did not come again. */
  kept: string;
}

export function silenceClaim(run: WebhookRun, { taken, isWatched, ...words }: Silence): Claim {
  const again = taken.filter(({ next }) => next !== null);
  const own = again.filter(({ each }) => !isStalled(run, each));
  const silent = taken.filter(({ next }) => next === null);
  const watched = silent.filter(isWatched);
  const cases = watched.map(({ each }) => each);
  return countedClaim({
    ...words,
    faults: again.map((attempt) => faultOf(attempt, excusesOf(run, attempt, own))),
    open: silent
      .filter((attempt) => !watched.includes(attempt))
      .map((attempt) => ({
        what: `${nameOf(attempt)} was answered 200 and not watched for long enough`,
      })),
    clean: cases.map((each) => seenOf(each)),
    kept: `${watched.length} ${words.kept}`,
    notTried: endsNotTried(cases),
  });
}

function faultOf({ each, delivery, next }: Attempt, above: readonly Explanation[]) {
  const second = next ?? delivery;
  const what = `${nameOf({ each, delivery: second })} came after the 200`;
  return { what, above, ...seenOf(each, [delivery, second]), exchanges: [each.submission] };
}

function excusesOf(
  run: WebhookRun,
  { each }: Attempt,
  own: readonly Attempt[],
): readonly Explanation[] {
  const isLone = own.length === 1 && own[0]?.each === each;
  const mayBeMissed = isLone && isAnswerMissed(run, each);
  return [
    ...(isStalled(run, each)
      ? [anything("host lag", "the machine was too busy then to tell why")]
      : []),
    ...(mayBeMissed && !run.isLocal
      ? [anything("network", "its response may have been lost")]
      : []),
    ...(mayBeMissed && run.isLocal && hasStalled(run)
      ? [anything("host lag", "its sender may have been held up on this machine")]
      : []),
  ];
}

/** Ours: a retry is no sooner than this share of its wait. */
const RETRY_GAP_SHARE = 0.9;

/**
 * Whether a network may have lost the answer that was followed by a delivery, or a sender on a
 * machine that stalls have missed it: who got none sends again after the next wait, and is right.
 * That does not happen twice.
 */
function isAnswerMissed({ times }: WebhookRun, { deliveries }: WebhookCase): boolean {
  const at = deliveries.findIndex(isTaken);
  const [sent, again] = [deliveries[at], deliveries[at + 1]];
  const wait = times.webhookWaits[at];
  if (sent === undefined || again === undefined || wait === undefined) return false;
  return again.arrivedAtMs - sent.arrivedAtMs >= wait.promisedMs * RETRY_GAP_SHARE;
}
