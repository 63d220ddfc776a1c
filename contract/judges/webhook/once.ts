/** What was answered 200 does not come again: not the first delivery, and no retry. Spec §6. */

import { counted } from "../../judging/claim.ts";
import { ownMs } from "../../promised-times.ts";
import type { PromiseId } from "../../promises.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { Attempt } from "./attempts.ts";
import { attemptsOf, isSlowSuccess, isTaken } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { isLostAnswer, isStalled, timesOf, watchedMs } from "./case.ts";
import { RETRY_GRACE_MS } from "./retried.ts";
import { groundsOf, nameOf, strengthOf } from "./witness.ts";

/** Spec §6 waits 5 s and 30 s before it sends again; a repetition after either would be seen. */
const ONCE_WATCH_MS = 35_000;

/** Of each job the first attempt that was answered 200 at once. */
function takenIn(run: WebhookRun, isWanted: (number: number) => boolean): readonly Attempt[] {
  const taken = attemptsOf(run.cases).filter(({ delivery }) => isTaken(delivery));
  const first = taken.filter(({ each, number }) => {
    return !each.deliveries.slice(0, number - 1).some(isTaken);
  });
  return first.filter(({ number, delivery }) => isWanted(number) && !isSlowSuccess(delivery));
}

export function judgeOnce(run: WebhookRun): Finding {
  const taken = takenIn(run, (number) => number === 1);
  const watched = taken.filter(({ each }) => watchedMs(each) >= ownMs(run.times, ONCE_WATCH_MS));
  return judgeSilence(run, taken, {
    promise: "webhook.once",
    without: "no delivery was answered 200 at once",
    repeated: "deliveries answered 200 came again",
    doubt: "deliveries came again while the machine was too busy to tell why",
    lost: "one delivery came again as if its answer had been lost on the way",
    unwatched: `watched for less than ${ONCE_WATCH_MS / 1_000} s`,
    watched,
    kept: `${watched.length} deliveries answered 200 did not come again`,
  });
}

export function judgeRecovers(run: WebhookRun): Finding {
  const taken = takenIn(run, (number) => number > 1);
  const watched = taken.filter((attempt) => isSettled(run, attempt));
  const rungs = [...new Set(watched.map(({ number }) => number))].sort((a, b) => a - b);
  return judgeSilence(run, taken, {
    promise: "webhook.recovers",
    without: "no retry was answered 200",
    repeated: "series went on after a retry was answered 200",
    doubt: "series went on while the machine was too busy to tell why",
    lost: "one series went on as if the answer 200 had been lost on the way",
    unwatched: "not watched for long enough after the 200",
    watched,
    kept: `series ended with the 200 on attempt ${rungs.join(", ")}`,
  });
}

/** Watched longer than the next wait would have been, at least 35 s. */
function isSettled({ times }: WebhookRun, { each, number }: Attempt): boolean {
  const next = times.webhookWaits[number - 1]?.promisedMs ?? 0;
  const neededMs = Math.max(ownMs(times, ONCE_WATCH_MS), next + ownMs(times, RETRY_GRACE_MS));
  return watchedMs(each) >= neededMs;
}

interface Words {
  promise: PromiseId;
  without: string;
  repeated: string;
  doubt: string;
  lost: string;
  unwatched: string;
  watched: readonly Attempt[];
  kept: string;
}

function judgeSilence(run: WebhookRun, taken: readonly Attempt[], words: Words): Finding {
  const { promise } = words;
  if (taken.length === 0) return unobserved(promise, words.without);
  const all = taken.filter(({ next }) => next !== null);
  const own = all.filter(({ each }) => !isStalled(run, each));
  const evidence = {
    jobs: taken.length,
    ends: counted(taken.map(({ each }) => each.expected)),
    arrivedMs: all.map(({ each }) => timesOf(each)),
    lagsMs: all.map(({ each }) => each.lagsMs.map(Math.round)),
  };
  const cases = own.map(({ each }) => each);
  if (isLostAnswer(run, cases)) return inconclusive(promise, words.lost, { evidence });
  if (own.length > 0) {
    const again = own.flatMap(({ each, next }) =>
      next === null ? [] : [{ each, delivery: next }],
    );
    const which = again.slice(0, 1).map(nameOf).join();
    return broken(
      promise,
      `${own.length} of ${taken.length} ${words.repeated}: ${which}`,
      groundsOf(evidence, cases, {
        shown: own.flatMap((attempt, at) => [attempt, ...again.slice(at, at + 1)]),
        exchanges: cases.map(({ submission }) => submission),
      }),
    );
  }
  if (all.length > 0) return inconclusive(promise, words.doubt, { evidence });
  if (words.watched.length === 0) return inconclusive(promise, words.unwatched, { evidence });
  const { watched } = words;
  const seen = watched.map(({ each }) => each);
  const strength = strengthOf({ count: watched.length, of: "jobs" }, seen);
  return kept(promise, words.kept, { evidence, strength });
}
