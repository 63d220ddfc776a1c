/** That there is no fifth attempt, whatever the fourth was answered. Spec §6. */

import { ownMs } from "../../promised-times.ts";
import type { Finding } from "../../verdict.ts";
import { broken, kept, unobserved } from "../../verdict.ts";
import { failedIn, failureText } from "./attempts.ts";
import type { WebhookRun } from "./case.ts";
import { timesOf, watchedMs } from "./case.ts";
import { groundsOf, nameOf, strengthOf } from "./witness.ts";

/** The first, and three retries. Spec §6. */
const ATTEMPTS_MAX = 4;

/** Ours: the silence after the last attempt, longer than the longest wait. */
export const SILENCE_MS = 310_000;

export function judgeGivesUp(run: WebhookRun): Finding {
  const promise = "webhook.gives-up";
  const last = failedIn(run).filter(({ number }) => number === ATTEMPTS_MAX);
  if (last.length === 0) {
    return unobserved(promise, `no job was seen with ${ATTEMPTS_MAX} failed attempts`);
  }
  const evidence = { jobs: last.length, arrivedMs: last.map(({ each }) => timesOf(each)) };
  const endless = last.flatMap(({ each, next }) =>
    next === null ? [] : [{ each, delivery: next }],
  );
  const [first] = endless;
  if (first !== undefined) {
    const most = Math.max(...endless.map(({ each }) => each.deliveries.length));
    return broken(
      promise,
      `${most} attempts, promised ${ATTEMPTS_MAX} at the most: ${nameOf(first)}`,
      groundsOf(
        evidence,
        endless.map(({ each }) => each),
        { shown: endless },
      ),
    );
  }
  const silent = last.filter(({ each }) => watchedMs(each) >= ownMs(run.times, SILENCE_MS));
  if (silent.length === 0) {
    return unobserved(
      promise,
      `the ${SILENCE_MS / 1_000} s of silence after attempt ${ATTEMPTS_MAX} do not fit into ` +
        `this run`,
    );
  }
  const strength = strengthOf(
    { count: silent.length, of: "jobs" },
    silent.map(({ each }) => each),
    { ways: silent.map(({ delivery }) => failureText(delivery.answer)) },
  );
  return kept(promise, `${silent.length} jobs: silence after attempt ${ATTEMPTS_MAX}`, {
    evidence,
    strength,
  });
}
