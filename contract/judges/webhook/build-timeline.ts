/** Makes the timeline of a run's webhooks, attempts that were never seen included. Spec §6. */

import { isObject } from "../../decode/decoded.ts";
import { jobIn } from "../../decode/job.ts";
import type { EndState } from "../../states.ts";
import { isTerminal, parseStatus } from "../../states.ts";
import { bodyOf, isFailure, overAtMs, takesMs } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { heldSpans, joined } from "./held.ts";
import { standstills } from "./standstill.ts";
import type { Attempt, WatchedJob, WebhookTimeline } from "./timeline.ts";
import type { Unseen } from "./unseen.ts";
import { unseenIn } from "./unseen.ts";

export function timelineOf(run: WebhookRun): WebhookTimeline {
  const seen = timelineWith(run, new Map());
  const unseen = unseenIn(seen);
  return unseen.size === 0 ? seen : timelineWith(run, unseen);
}

function timelineWith(run: WebhookRun, unseen: Unseen): WebhookTimeline {
  const cases = run.cases.map((each) => watchedJob(each, run, unseen.get(each.submission) ?? []));
  const attempts = cases.flatMap((each) => each.attempts);
  const deliveries = attempts.map(({ delivery }) => delivery);
  const numbered = attempts.filter(({ each }) => each.kind !== "refused" && each.jobId !== null);
  const held = heldSpans(deliveries, run.times);
  const still = standstills(run);
  return {
    ...run,
    cases,
    attempts,
    numbered,
    failed: numbered.filter(({ delivery }) => isFailure(delivery.answer, run.times)),
    unseen: cases.reduce((sum, { attempts: own }) => sum + (own.at(-1)?.unseen ?? 0), 0),
    refused: cases.filter(({ kind, jobId }) => kind === "refused" && jobId !== null),
    ended: cases.filter(({ kind, endKnownAtMs }) => endKnownAtMs !== null && kind !== "refused"),
    held,
    still,
    unfree: joined([...held, ...still]),
  };
}

function watchedJob(given: WebhookCase, run: WebhookRun, unseen: readonly number[]): WatchedJob {
  const attempts: Attempt[] = [];
  const endedJob = jobIn(
    given.looks.findLast((poll) => isTerminal(jobIn(poll)?.state)) ?? given.endPoll,
  );
  const each = { ...given, attempts, endedJob, end: endOf(given) };
  let next: Attempt | null = null;
  for (const [at, delivery] of [...given.deliveries.entries()].reverse()) {
    const before = unseen[at] ?? 0;
    next = attemptOf({ each, number: at + 1, unseen: before, delivery, next }, run);
    attempts.unshift(next);
  }
  return each;
}

function attemptOf(
  seen: Pick<Attempt, "each" | "number" | "unseen" | "delivery" | "next">,
  { times }: WebhookRun,
): Attempt {
  const { each, number, unseen, delivery, next } = seen;
  const overMs = overAtMs(delivery, times);
  const waitedSince = (atMs: number) => (next?.delivery.arrivedAtMs ?? atMs) - atMs;
  return {
    ...seen,
    body: bodyOf(delivery),
    takesMs: takesMs(delivery.answer),
    overAtMs: overMs,
    wait: times.webhookWaits[number + unseen - 1] ?? null,
    waitedMs: next && { low: waitedSince(overMs), high: waitedSince(delivery.arrivedAtMs) },
    lagMs: each.lagsMs[number - 1] ?? 0,
  };
}

function endOf({ endSeen, deliveries }: WebhookCase): EndState | null {
  if (endSeen !== null) return endSeen;
  const told = deliveries.map((delivery) => toldIn(bodyOf(delivery)));
  return told.find((end) => end !== null) ?? null;
}

function toldIn(body: unknown): EndState | null {
  const status = isObject(body) ? body.status : null;
  const state = parseStatus(status)?.state;
  return isTerminal(state) ? state : null;
}
