/** Makes the timeline of a run's webhooks, attempts that were never seen included. Spec §6. */

import { isObject } from "../../decode/decoded.ts";
import { jobIn } from "../../decode/job.ts";
import { chanceOfAtLeast } from "../../numbers/binomial.ts";
import type { WaitBounds } from "../../run/run-plan.ts";
import type { EndState } from "../../states.ts";
import { isTerminal, parseStatus } from "../../states.ts";
import { joined } from "../../time/spans.ts";
import { bodyOf, failureText, isFailure, overAtMs, takesMs } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { heldSpans } from "./held.ts";
import { standstills } from "./standstill.ts";
import type { Attempt, WatchedJob, WebhookTimeline } from "./timeline.ts";
import { lateAfterEndMs } from "./timeline.ts";

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

/** Of each job of which any is missing: how many are, before each of its deliveries. */
type Unseen = ReadonlyMap<WatchedJob["submission"], readonly number[]>;

/** Ours: of so many attempts a front answers one by itself, at the most. */
const SHARE_MAX = 0.03;
/** Ours: what comes about by chance more seldom has another reason; of one kind among twenty. */
const CHANCE_MIN = { all: 0.01, ofKind: 0.001 } as const;

/**
 * Attempts that never reached the receiver: a front before it may answer one in many by itself. Its
 * sender tries again by schedule, which tells it from one that gives up. None where they are too
 * many to be a front's, and on one machine, where there is no front. At an address that fails for
 * several jobs a sender may count, or wait, for all of them.
 */
function unseenIn(run: WebhookTimeline): Unseen {
  if (run.isLocal) return new Map();
  const told = run.cases
    .filter(({ kind, isOtherFailing }) => kind !== "refused" && !isOtherFailing)
    .map((each) => ({ each, before: unseenBefore(run, each) }));
  const unseen = told.filter(({ before }) => before.some((count) => count > 0));
  if (unseen.length === 0) return new Map();
  const isByChance = kindsOf(told).every(([kind, count, of]) => {
    const least = kind === null ? CHANCE_MIN.all : CHANCE_MIN.ofKind;
    return chanceOfAtLeast(count, of, SHARE_MAX) >= least;
  });
  return new Map(isByChance ? unseen.map(({ each, before }) => [each.submission, before]) : []);
}

type Kind = readonly [kind: string | null, unseen: number, of: number];

/** How many waits have one in them: of all, after each way to fail, and of jobs of each end. */
function kindsOf(
  told: readonly { each: WatchedJob; before: readonly number[] }[],
): readonly Kind[] {
  const attempts = told.flatMap(({ each, before }) =>
    each.attempts.slice(0, -1).map(({ delivery }, at) => {
      const earlier = at === 0 ? 0 : (before[at] ?? 0);
      const kinds = [null, failureText(delivery.answer), each.end];
      return { kinds, count: (before[at + 1] ?? before[at] ?? 0) - earlier };
    }),
  );
  const kinds = new Set(attempts.flatMap((each) => each.kinds));
  return [...kinds].map((kind) => {
    const alike = attempts.filter((each) => each.kinds.includes(kind));
    const count = alike.reduce((sum, each) => sum + each.count, 0);
    return [kind, count, alike.length] as const;
  });
}

/** By the waits: one is as long as two that follow each other, or all of them are the next ones. */
function unseenBefore(run: WebhookTimeline, each: WatchedJob): readonly number[] {
  const { times, lagMs } = run;
  const [first] = each.attempts;
  let count = first !== undefined && isFirstUnseen(run, first) ? 1 : 0;
  return each.attempts.map((attempt) => {
    const before = count;
    const due = times.webhookWaits[attempt.number + count - 1];
    const following = times.webhookWaits[attempt.number + count];
    const isTwo = due !== undefined && following !== undefined && !isAsLong(attempt, [due], lagMs);
    if (isTwo && isAsLong(attempt, [due, following], lagMs)) count += 1;
    return before;
  });
}

/**
 * The waits after it are the second and the third; where it is not watched for the latter, it came
 * as late after its job's end as a first retry does.
 */
function isFirstUnseen(run: WebhookTimeline, attempt: Attempt): boolean {
  const { times, lagMs } = run;
  const [first, second, third] = times.webhookWaits;
  if (!isAsLong(attempt, [second], lagMs)) return false;
  if (attempt.next?.waitedMs) return isAsLong(attempt.next, [third], lagMs);
  const lateMs = lateAfterEndMs(run, attempt.each, 0.5);
  return lateMs > first.promisedMs / 2 && lateMs < second.promisedMs / 2;
}

function isAsLong({ waitedMs }: Attempt, waits: readonly WaitBounds[], lagMs: number): boolean {
  if (waitedMs === null) return false;
  const sum = (of: (wait: WaitBounds) => number) => waits.reduce((ms, each) => ms + of(each), 0);
  const latestMs = sum((each) => each.latestMs) + lagMs;
  return waitedMs.high >= sum((each) => each.earliestMs) && waitedMs.low <= latestMs;
}
