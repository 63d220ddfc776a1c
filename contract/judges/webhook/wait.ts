/** webhook.wait-1 to wait-3: how long the service waits before each retry. Spec §6, §8. */

import type { Cause, Claim, Explanation, Range, Sample } from "../../judging/claim.ts";
import { rangeText, upTo } from "../../judging/claim.ts";
import { mostOf } from "../../numbers/extremes.ts";
import type { WaitBounds } from "../../run/run-plan.ts";
import type { Span } from "../../time/spans.ts";
import { overlapMs } from "../../time/spans.ts";
import { utc } from "../../time/timestamps.ts";
import { failureText } from "./attempts.ts";
import type { WebhookCase } from "./case.ts";
import {
  ALIKE_MIN,
  byHostLag,
  mayBeRefusedTwice,
  STALL_LAGS,
  stallMs,
  worstLagMs,
} from "./case.ts";
import { byLateAttempt, byStops, openedForMs } from "./late-attempt.ts";
import { byLoss, earlyByWay, lateByWay } from "./network.ts";
import { isAfterOthers } from "./resting.ts";
import { retryGraceMs, retryOf } from "./retried.ts";
import { crawlMs } from "./standstill.ts";
import type { Attempt, WebhookTimeline } from "./timeline.ts";
import { freeMs } from "./timeline.ts";
import { endsNotTried, seenOf } from "./witness.ts";

const PROMISES = ["webhook.wait-1", "webhook.wait-2", "webhook.wait-3"] as const;

/** Ours: some waits that the machine bent say nothing of the others; most of them do. */
const EXPLAINED_SHARE = 0.5;

export function waitClaim(run: WebhookTimeline, index: 0 | 1 | 2): Claim {
  const bounds = run.times.webhookWaits[index];
  const failed = run.failed.filter(({ wait }) => wait === bounds);
  // Between two of which one never arrived lie two waits.
  const retried = failed.filter(({ next, unseen }) => next?.unseen === unseen);
  const missed = failed.filter((attempt) => retryOf(run, attempt) === "missed");
  const ranges = retried.map((attempt) => waitOf(run, attempt));
  const off: Off = {
    early: ranges.map(({ high }) => bounds.earliestMs - high),
    late: ranges.map(({ low }) => low - bounds.latestMs),
  };
  const waits = retried.map((attempt) => sampleOf(run, attempt, bounds, off));
  // Where other retries never come, neither may these.
  const isLosing = run.failed.some((attempt) => retryOf(run, attempt) === "missed");
  const overdue = isLosing ? [] : failed.flatMap((attempt) => overdueOf(run, attempt, bounds));
  const afterRefusal = index === 0 ? lateAfterRefusal(run) : [];
  return {
    promise: PROMISES[index],
    unit: "ms",
    tolerated: { low: bounds.earliestMs, high: bounds.latestMs },
    samples: [...waits, ...overdue, ...afterRefusal, ...missed.map(neverCame)],
    of: "waits",
    promised: `${bounds.promisedMs / 1_000} s`,
    without:
      failed.length === 0
        ? `no attempt ${index + 1} failed`
        : `this run is too short to observe retry wait ${index + 1}`,
    quorum: { alike: run.isLocal ? null : ALIKE_MIN, explainedShare: EXPLAINED_SHARE },
    notTried: endsNotTried(retried.map(({ each }) => each)),
    evidence: {
      promisedMs: bounds.promisedMs,
      lagMs: retried.map(({ lagMs }) => Math.round(lagMs)),
      usualLagMs: Math.round(run.lagMs),
    },
  };
}

/** How far all waits of a kind are outside of what is tolerated, in ms; negative: they are not. */
interface Off {
  early: readonly number[];
  late: readonly number[];
}

/**
 * Whether its origin is the start or the end of the failed attempt is open: it lies between. A
 * sender may take its time between connecting and the request: the attempt starts with the former.
 */
function waitOf(run: WebhookTimeline, attempt: Attempt): Range {
  const { low, high } = attempt.waitedMs ?? { low: Infinity, high: Infinity };
  return { low, high: high + openedForMs(run, attempt) };
}

/**
 * A delivery passes several threads, each of which may have been late; one that was held up until
 * it was stamped makes the wait after it look short.
 */
function sampleOf(run: WebhookTimeline, attempt: Attempt, bounds: WaitBounds, off: Off): Sample {
  const { each, delivery, next, lagMs } = attempt;
  const { promisedMs } = bounds;
  const { low, high } = waitOf(run, attempt);
  const sentAtMs = delivery.arrivedAtMs;
  const arrivedAtMs = next?.delivery.arrivedAtMs ?? Number.POSITIVE_INFINITY;
  const sinceDue = { fromMs: sentAtMs + promisedMs, toMs: arrivedAtMs };
  const failed = isAfterOthers(run, each, sentAtMs) ? ["where others had failed"] : [];
  return {
    low,
    high,
    what:
      `${afterText(attempt)} came ` +
      `${offText({ low: low - promisedMs, high: high - promisedMs })}, at ${utc(arrivedAtMs)}`,
    below: greatestOfEachCause([
      byHostLag(STALL_LAGS * lagMs),
      ...earlyByWay(run, attempt),
      ...byLoss(run, bounds.earliestMs - high, off.early),
      ...byLateAttempt(run, attempt),
    ]),
    above: greatestOfEachCause([
      ...byCrawling(run, sinceDue),
      ...byStops(run, (spans) => overlapSinceDueMs(spans, attempt, sinceDue)),
      byHostLag(run.lagMs),
      byHostLag(STALL_LAGS * lagMs),
      ...lateByWay(run, attempt),
      ...byLoss(run, low - bounds.latestMs, off.late),
    ]),
    ...shownOf(attempt, failed),
  };
}

/** Two figures of one cause tell of the same lateness: the greatest holds the others. */
function greatestOfEachCause(all: readonly Explanation[]): readonly Explanation[] {
  const greatest = new Map<Cause, Explanation>();
  for (const each of all) {
    const other = greatest.get(each.cause);
    if (other === undefined || each.atMost > other.atMost) greatest.set(each.cause, each);
  }
  return [...greatest.values()];
}

/**
 * How much of the time since it was due is in the spans, of a wait that counts from the attempt's
 * end, by either origin: from the start on, it was due sooner, and is as much longer.
 */
function overlapSinceDueMs(
  spans: readonly Span[],
  { waitedMs }: Attempt,
  sinceStart: Span,
): number {
  const tookMs = waitedMs === null ? 0 : waitedMs.high - waitedMs.low;
  const sinceEnd = { ...sinceStart, fromMs: sinceStart.fromMs + tookMs };
  return Math.max(overlapMs(spans, sinceEnd), overlapMs(spans, sinceStart) - tookMs);
}

/** A retry passes several threads of its service, or turns of its loop, each as late as answers. */
function byCrawling(run: WebhookTimeline, sinceDue: Span): readonly Explanation[] {
  const ms = crawlMs(run, sinceDue);
  const why = `what the service was asked meanwhile took it ${Math.round(ms)} ms longer than else`;
  return ms < stallMs(run) ? [] : upTo(STALL_LAGS * ms, "standstill", why);
}

/** One that the watch did not see, though it would have been late by then; none if it may be. */
function overdueOf(run: WebhookTimeline, attempt: Attempt, bounds: WaitBounds): readonly Sample[] {
  const { each, overAtMs } = attempt;
  if (retryOf(run, attempt) !== "unknown") return [];
  const low = freeMs(run, { fromMs: overAtMs, toMs: each.watchedUntilMs });
  if (low <= bounds.latestMs + retryGraceMs(run)) return [];
  return [
    {
      low,
      high: Number.POSITIVE_INFINITY,
      what:
        `${Math.round(low / 1_000)} s ${afterText(attempt)} had not come, ` +
        `by ${utc(each.watchedUntilMs)}`,
      above: [byHostLag(STALL_LAGS * worstLagMs(run))],
      ...shownOf(attempt, []),
    },
  ];
}

function afterText({ each, number, delivery }: Attempt): string {
  return `after ${failureText(delivery.answer)} ${each.jobId}'s attempt ${number + 1}`;
}

function shownOf(attempt: Attempt, traits: readonly string[]) {
  const { each, delivery, next } = attempt;
  const [after, end] = [failureText(delivery.answer), each.end ?? "an unknown end"];
  return {
    traits: [after, end, each.part, `${after} ${end}`, ...traits],
    ...seenOf(each, next === null ? [attempt] : [attempt, next], { "ways to fail": after }),
  };
}

/** What never came has no wait: that it did not is another promise's. */
function neverCame({ each, number }: Attempt): Sample {
  const what = `${each.jobId}'s attempt ${number + 1} never came (see webhook.retried)`;
  const explainedBy = [{ promise: "webhook.retried" }] as const;
  return { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY, what, explainedBy };
}

/** "3512 to 3514 ms early"; of a wait that is both, by its origin, the far side. */
function offText({ low, high }: Range): string {
  const isEarly = -low > high;
  const off = isEarly ? { low: -high, high: -low } : { low, high };
  return `${rangeText(off, "ms")} ${isEarly ? "early" : "late"}`;
}

/**
 * After refused connections, which leave no trace: what comes later than two waits allow, was late
 * whether or not the port was open by the first retry. None where the second retry may have been
 * refused as well.
 */
function lateAfterRefusal(run: WebhookTimeline): readonly Sample[] {
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
