/** How late attempts themselves may have been for their senders, who may count from when due. */

import type { Explanation } from "../../judging/claim.ts";
import { upTo } from "../../judging/claim.ts";
import type { Span } from "../../time/spans.ts";
import { joined, overlapMs } from "../../time/spans.ts";
import { precisionMs } from "../../time/timestamps.ts";
import { isOpened } from "./attempts.ts";
import { STILL_MS_MIN } from "./standstill.ts";
import type { Attempt, WatchedJob, WebhookTimeline } from "./timeline.ts";
import { lateAfterEndMs } from "./timeline.ts";

/** Between connecting and the request, as far as that is the sender's own time. */
export function openedForMs(run: WebhookTimeline, { delivery }: Attempt): number {
  return isOpened(run, delivery) ? (delivery.openedForMs ?? 0) : 0;
}

/** An attempt may have waited its turn behind answers that were held back. */
function byHeldAnswers(atMost: number): readonly Explanation[] {
  const why = `for ${Math.round(atMost)} ms it may have waited for responses that were held back`;
  return upTo(atMost, "held answers", why);
}

/** What is due while the service stands still comes when it goes on, or when it has its turn. */
export function byStops(
  { held, unfree }: Pick<WebhookTimeline, "held" | "unfree">,
  overlapIn: (spans: readonly Span[]) => number,
): readonly Explanation[] {
  const heldMs = overlapIn(held);
  const stillMs = overlapIn(unfree) - heldMs;
  const why = `for ${Math.round(stillMs)} ms the service stood still: nothing of it went on`;
  return [...byHeldAnswers(heldMs), ...upTo(stillMs, "standstill", why)];
}

/**
 * How much of the time from when it was due to its arrival is in the spans. By a schedule that is
 * fixed by the first attempt it was due as much sooner as the one before was held up itself; the
 * first is due after its job's submission.
 */
function heldUpMs(
  spans: readonly Span[],
  run: WebhookTimeline,
  { each, number, delivery }: Attempt,
): number {
  const before = each.attempts[number - 2];
  const fromMs =
    before === undefined
      ? each.submission.sentAtMs
      : before.delivery.arrivedAtMs - heldUpMs(spans, run, before) + (before.wait?.promisedMs ?? 0);
  return overlapMs(spans, { fromMs, toMs: delivery.arrivedAtMs });
}

/** Ours: of first attempts that come as a service's outbox sends them, the soonest. */
const SOON_SHARE = 0.25;

/** Of a service that stands still: how late a retry is, where nothing shows when it stood. */
function byUnshownStill(run: WebhookTimeline, attempt: Attempt): readonly Explanation[] {
  const before = attempt.each.attempts[attempt.number - 2];
  if (run.still.length === 0 || before?.waitedMs == null || before.wait === null) return [];
  const { promisedMs, earliestMs } = before.wait;
  const { high } = before.waitedMs;
  const lateMs = high - promisedMs < STILL_MS_MIN ? 0 : high - earliestMs;
  const why = `the attempt before came ${Math.round(lateMs)} ms late itself`;
  return upTo(lateMs, "standstill", why);
}

/** By how much its end may have been later than told; 0: it tells none, or by the millisecond. */
function endedWithinMs({ endedJob }: WatchedJob): number {
  return endedJob?.finishedAt == null ? 0 : precisionMs(endedJob.finishedAt);
}

/**
 * An attempt that was held up since it was due may have been begun then: where a schedule is fixed
 * by that, the wait after it is shorter by as much. The first is due at its job's end: one that
 * comes long after it may have stood still with its service. Where nothing else shows a standstill,
 * the service may take as long for each.
 */
export function byLateAttempt(run: WebhookTimeline, attempt: Attempt): readonly Explanation[] {
  const { each, number } = attempt;
  if (number > 1) {
    // What shows a standstill is asked half a second after an attempt was due, at the soonest.
    const unasked = run.still.map(({ fromMs, toMs }) => ({ fromMs: fromMs - STILL_MS_MIN, toMs }));
    const unfree = joined([...run.held, ...unasked]);
    const byStill = byStops({ held: run.held, unfree }, (spans) => heldUpMs(spans, run, attempt));
    return [...byStill, ...byUnshownStill(run, attempt)];
  }
  const isStanding = run.still.length > 0;
  const soonMs = lateAfterEndMs(run, each, isStanding ? 0 : SOON_SHARE);
  const lateMs = soonMs + (isStanding ? endedWithinMs(each) : 0) - openedForMs(run, attempt);
  const why = `the attempt before came ${Math.round(lateMs)} ms later after its end than another`;
  return [...byHeldAnswers(heldUpMs(run.held, run, attempt)), ...upTo(lateMs, "standstill", why)];
}
