/**
 * When answers that were held back on purpose may have kept a sender from sending anything else: it
 * may make few deliveries at a time, and each waits for its answer. Spec §6 allows 10 s for one.
 */

import type { Delivery } from "../../delivery.ts";
import { isHeldBack } from "../../delivery.ts";
import type { PromisedTimes } from "../../run-plan.ts";
import { overAtMs } from "./attempts.ts";
import type { WebhookCase, WebhookRun } from "./case.ts";
import { deliveryGraceMs } from "./case.ts";

interface Span {
  fromMs: number;
  toMs: number;
}

/**
 * Milliseconds of that time in which as many answers were held as ever were at once, or in which
 * was sent what had gathered meanwhile: a sender that has room for more of them would not have had
 * to wait. Whether it waits for a body is open.
 */
export function heldUpMs(run: Pick<WebhookRun, "cases" | "times">, time: Span): number {
  const deliveries = run.cases.flatMap((each) => each.deliveries);
  const held = deliveries.filter(({ answer }) => isHeldBack(answer));
  const most = mostAtOnce(levelsOf(held.map((each) => spanOf(each, run.times, false))));
  const levels = levelsOf(held.map((each) => spanOf(each, run.times, true)));
  const full = joined(levels.filter(({ count }) => count > 0 && count >= most));
  const arrivalsMs = deliveries.map(({ arrivedAtMs }) => arrivedAtMs).sort((a, b) => a - b);
  const within = (at: Span) => Math.min(at.toMs, time.toMs) - Math.max(at.fromMs, time.fromMs);
  return joined(full.map((span) => withCatchUp(span, arrivalsMs))).reduce(
    (sum, span) => sum + Math.max(0, within(span)),
    0,
  );
}

/** Ours: a sender that has more to send does not pause for so long. */
const PAUSE_MS = 1_000;

/** What gathered while it was full goes out one after the other, in as long at the most. */
function withCatchUp({ fromMs, toMs }: Span, arrivalsMs: readonly number[]): Span {
  let lastMs = toMs;
  for (const atMs of arrivalsMs) {
    if (atMs > lastMs + PAUSE_MS) break;
    lastMs = Math.max(lastMs, atMs);
  }
  return { fromMs, toMs: Math.min(lastMs, 2 * toMs - fromMs) };
}

/** In order of time; those that touch are one. */
function joined(spans: readonly Span[]): readonly Span[] {
  const whole: Span[] = [];
  for (const { fromMs, toMs } of spans) {
    const last = whole.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else whole.push({ fromMs, toMs });
  }
  return whole;
}

/** Of that time, in which nothing of ours kept the sender from sending. */
export function freeMs(run: Pick<WebhookRun, "cases" | "times">, time: Span): number {
  return time.toMs - time.fromMs - heldUpMs(run, time);
}

/** Whether it was watched for so long after its end was known, while its webhook could be sent. */
export function isSettled(
  run: WebhookRun,
  { endKnownAtMs, watchedUntilMs }: Pick<WebhookCase, "endKnownAtMs" | "watchedUntilMs">,
  neededMs: number,
): boolean {
  if (endKnownAtMs === null) return false;
  return freeMs(run, { fromMs: endKnownAtMs, toMs: watchedUntilMs }) >= neededMs;
}

/** Until its answer was there; where none came, until the sender must have given it up. */
function spanOf(delivery: Delivery, times: PromisedTimes, withBody: boolean): Span {
  const { arrivedAtMs, answeredAtMs, hungUpAtMs, answer } = delivery;
  if (answer.kind === "silent") return { fromMs: arrivedAtMs, toMs: overAtMs(delivery, times) };
  const toMs = answeredAtMs ?? hungUpAtMs ?? arrivedAtMs + times.webhookAnswerMs;
  const bodyMs = answer.kind === "status" && withBody ? (answer.bodyMs ?? 0) : 0;
  return { fromMs: arrivedAtMs, toMs: toMs + bodyMs };
}

/** A stretch, and how many spans it is in. */
interface Level extends Span {
  count: number;
}

function levelsOf(spans: readonly Span[]): readonly Level[] {
  const steps = spans.flatMap(({ fromMs, toMs }) => [
    { atMs: fromMs, by: 1 },
    { atMs: toMs, by: -1 },
  ]);
  steps.sort((a, b) => a.atMs - b.atMs || a.by - b.by);
  let count = 0;
  return steps.map(({ atMs, by }, at) => {
    count += by;
    return { count, fromMs: atMs, toMs: steps[at + 1]?.atMs ?? atMs };
  });
}

/** Ours: a hang-up arrives so much later, at the most, than what the sender does next. */
const PASSING_MS = 500;

/** Overlaps in passing left out. */
function mostAtOnce(levels: readonly Level[]): number {
  const lastsMs = (least: number) =>
    levels.reduce((sum, each) => sum + (each.count < least ? 0 : each.toMs - each.fromMs), 0);
  const counts = levels.map(({ count }) => count);
  return Math.max(0, ...counts.filter((least) => lastsMs(least) > PASSING_MS));
}

/**
 * That nothing of a job comes to an address at which those of others fail: a sender may let the
 * address rest, or have one job wait there until another is done with. Neither does who posts on
 * there long after the end of the job, and posts for one job between two attempts for another.
 */
export function mayRest(run: WebhookRun, each: WebhookCase): boolean {
  if (!each.isOtherFailing) return false;
  const others = othersAt(run, each);
  const longAfterMs = (each.endKnownAtMs ?? Number.POSITIVE_INFINITY) + deliveryGraceMs(run);
  const isPostedTo = others.flat().some((atMs) => atMs > longAfterMs);
  return !isPostedTo || !others.some((some) => others.some((same) => isWithin(some, same)));
}

/** Whether others' deliveries to the same address had failed by then. */
export function isAfterOthers(run: WebhookRun, each: WebhookCase, atMs: number): boolean {
  return othersAt(run, each).some(([firstMs]) => firstMs !== undefined && firstMs < atMs);
}

/** Of each other job at an address that fails, when its deliveries came. */
function othersAt({ cases }: WebhookRun, each: WebhookCase): readonly (readonly number[])[] {
  if (!each.isOtherFailing) return [];
  return cases
    .filter((other) => other !== each && other.isOtherFailing)
    .map(({ deliveries }) => deliveries.map(({ arrivedAtMs }) => arrivedAtMs));
}

/** Whether the first of some came between two of others. */
function isWithin([firstMs]: readonly number[], others: readonly number[]): boolean {
  const isBefore = (atMs: number) => firstMs !== undefined && atMs < firstMs;
  return others.some(isBefore) && !others.every(isBefore);
}
