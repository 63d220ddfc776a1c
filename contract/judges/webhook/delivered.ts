/** webhook.delivered: a POST for each job that reaches a terminal state. Spec §6. */

import type { Claim } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import { countText } from "../../numbers/figures.ts";
import { END_STATES } from "../../states.ts";
import { ownMs } from "../../time/promised-times.ts";
import { MACHINES_DIFFER_MS, utc } from "../../time/timestamps.ts";
import { offsetAtMostMs, readHistories } from "../job/reading.ts";
import { namedJob } from "./attempts.ts";
import { deliveryGraceMs, historyOf } from "./case.ts";
import { mayRest } from "./resting.ts";
import type { Attempt, WatchedJob, WebhookTimeline } from "./timeline.ts";
import { endedAtMs, isSettled, nameOf } from "./timeline.ts";
import { endsNotTried, seenOf } from "./witness.ts";

export function deliveredClaim(run: WebhookTimeline): Claim {
  const { ended } = run;
  const silent = ended.filter(({ deliveries }) => deliveries.length === 0);
  const missing = silent.filter((each) => {
    return !mayRest(run, each) && isSettled(run, each, longestWaitMs(run, each));
  });
  const otherwise = run.cases.flatMap(({ attempts }) => {
    return attempts.find(({ delivery }) => delivery.method !== "POST") ?? [];
  });
  const polled = lateForWantOfPolls(run, ended);
  const faulty = [...silent, ...polled, ...otherwise.map(({ each }) => each)];
  const came = ended.filter((each) => !faulty.includes(each));
  const ends = [...new Set(came.flatMap(({ end }) => end ?? []))];
  const pending = silent.filter((each) => !missing.includes(each));
  // Jobs like it were delivered: that it was watched too briefly says nothing.
  const late = pending.filter(({ end, isOtherFailing }) => {
    return !isOtherFailing && end !== null && ends.includes(end);
  });
  const leftOut = late.length <= LATE_SHARE * ended.length ? late : [];
  const isUnreached = silent.length === ended.length && run.receiverReach === "unknown";
  const reach = "whether the service can reach the receiver is not known";
  return countedClaim({
    promise: "webhook.delivered",
    faults: [
      ...missing.map(silentFault),
      ...polled.map(polledFault),
      ...otherwise.map(methodFault),
    ],
    open: pending
      .filter((each) => !leftOut.includes(each))
      .map((each) => ({ what: `${each.jobId} ${openText(each)}` })),
    clean: came.map((each) => seenOf(each)),
    of: "jobs",
    off: "had ended without a webhook by POST",
    kept: `${came.length} ended jobs were delivered: ${ends.join(", ")}${lateText(leftOut)}`,
    without: "no job with a webhook ended",
    explanations: isUnreached ? [anything("network", reach)] : [],
    quorum: { openShare: 0 },
    notTried: endsNotTried(came),
  });
}

/** Ours: so many may end too late to wait for their deliveries, beside others that did not. */
const LATE_SHARE = 0.05;

/** An address that fails for others may rest first, for no longer than the longest wait. Ours. */
function longestWaitMs(run: WebhookTimeline, { isOtherFailing }: WatchedJob): number {
  const restMs = isOtherFailing ? run.times.webhookWaits[2].latestMs : 0;
  return restMs + deliveryGraceMs(run);
}

function lateText({ length }: readonly WatchedJob[]): string {
  return length === 0 ? "" : `; ${countText(length, "job")} ended too late to wait for a webhook`;
}

function openText({ isOtherFailing }: WatchedJob): string {
  return isOtherFailing
    ? "was not delivered to an address at which those of others failed"
    : "ended too late to wait for its delivery";
}

/** Ours: a service that sends a webhook when it is asked for the job does so at once. */
const AT_A_POLL_MS = 5_000;

/** Ours: that a single one of few that end alike comes at a poll may be chance. */
const LATE_ALIKE_MIN = 2;

/** Of whichever end, or of one alone that is noticed at polls alone, as timeouts may be. */
function lateForWantOfPolls(
  run: WebhookTimeline,
  ended: readonly WatchedJob[],
): readonly WatchedJob[] {
  const all = sentForPolls(run, ended);
  if (all.length > 0) return all;
  return END_STATES.flatMap((end) => {
    const alike = ended.filter((each) => each.end === end);
    const late = sentForPolls(run, alike);
    return late.length >= LATE_ALIKE_MIN ? late : [];
  });
}

/**
 * Jobs that would have been missed, had nobody asked for them: long ended, and delivered at a poll.
 * One that comes before any poll shows its end, or long after that, tells that nothing waits for
 * polls; and so does one age alone, as nothing says how soon a webhook comes.
 */
function sentForPolls(run: WebhookTimeline, ended: readonly WatchedJob[]): readonly WatchedJob[] {
  const delivered = ended.filter((each) => each.deliveries.length > 0);
  const roomMs = ownMs(run.times, AT_A_POLL_MS) + run.lagMs;
  const isAtPoll = ({ endPolledAtMs, deliveries: [first] }: WatchedJob) => {
    const afterMs = (first?.arrivedAtMs ?? 0) - (endPolledAtMs ?? Number.POSITIVE_INFINITY);
    return afterMs >= 0 && afterMs <= roomMs;
  };
  if (!delivered.every(isAtPoll)) return [];
  const offsetMs = offsetAtMostMs(readHistories(ended.map(historyOf)));
  const late = delivered.filter((each) => {
    const endedMs = endedAtMs(each, offsetMs);
    if (endedMs === null) return false;
    const endKnownAtMs = endedMs + MACHINES_DIFFER_MS;
    const unpolled = { endKnownAtMs, watchedUntilMs: each.endPolledAtMs ?? endKnownAtMs };
    return isSettled(run, unpolled, deliveryGraceMs(run));
  });
  return late.length < delivered.length ? late : [];
}

function polledFault(each: WatchedJob) {
  const { jobId, part, endSeen } = each;
  const finishedAtMs = each.endedJob?.finishedAt?.ms ?? 0;
  const ended = `(${part}) ended as ${endSeen} at ${utc(finishedAtMs)} by its own time`;
  const first = each.attempts.slice(0, 1);
  const came = first.map(({ delivery }) => utc(delivery.arrivedAtMs)).join();
  const polled = `when it was first polled, at ${utc(each.endPolledAtMs ?? 0)}`;
  const what = `${jobId} ${ended}, and its webhook came at ${came}, ${polled}`;
  return { what, ...seenOf(each, first), exchanges: each.looks.slice(-1) };
}

/** When its end was known, and until when nothing came. */
function silentFault(each: WatchedJob) {
  const { jobId, part, endSeen, endKnownAtMs, watchedUntilMs, looks: polls, submission } = each;
  const ended = `(${part}) had ended as ${endSeen} by ${utc(endKnownAtMs ?? watchedUntilMs)}`;
  const what = `${jobId} ${ended}, no webhook arrived until ${utc(watchedUntilMs)}`;
  return { what, ...seenOf(each), exchanges: [polls.at(-1) ?? submission] };
}

function methodFault(attempt: Attempt) {
  const what = `${nameOf(attempt)} arrived by ${attempt.delivery.method}, promised POST`;
  return { what, ...seenOf(attempt.each, [attempt]) };
}

export function onlyAskedClaim(run: WebhookTimeline): Claim {
  const { attempts, unasked } = run;
  const ids = new Set(unasked.map(({ jobId }) => jobId));
  const uncalled = attempts.filter(({ delivery }) => ids.has(namedJob(delivery) ?? ""));
  const settled = unasked.filter((each) => isSettled(run, each, deliveryGraceMs(run)));
  const clean = settled.filter(({ jobId }) => {
    return !uncalled.some(({ delivery }) => namedJob(delivery) === jobId);
  });
  return countedClaim({
    promise: "webhook.only-asked",
    faults: uncalled.map((attempt) => ({
      what: `${namedJob(attempt.delivery)} was delivered at ${utc(attempt.delivery.arrivedAtMs)}`,
      ...seenOf(attempt.each, [attempt]),
    })),
    open: unasked
      .filter((each) => !settled.includes(each))
      .map(({ jobId }) => ({
        what: `${jobId}, without a webhook, was not watched beyond its end`,
      })),
    good: clean.length,
    of: "jobs",
    off: "without a webhook were delivered",
    kept: `none of ${settled.length} jobs without a webhook was delivered`,
    without: "no job without a webhook was submitted",
    hidden:
      attempts.length > 0 ? [] : [anything("too little seen", "nothing at all was delivered")],
  });
}
