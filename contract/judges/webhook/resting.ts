/** Addresses at which other jobs' deliveries fail, and which a sender may let rest. */

import { deliveryGraceMs } from "./case.ts";
import type { WatchedJob, WebhookTimeline } from "./timeline.ts";

/**
 * That nothing of a job comes to an address at which those of others fail: a sender may let the
 * address rest, or have one job wait there until another is done with. Neither does who posts on
 * there long after the end of the job, and posts for one job between two attempts for another.
 */
export function mayRest(run: WebhookTimeline, each: WatchedJob): boolean {
  if (!each.isOtherFailing) return false;
  const others = othersAt(run, each);
  const longAfterMs = (each.endKnownAtMs ?? Number.POSITIVE_INFINITY) + deliveryGraceMs(run);
  const isPostedTo = others.flat().some((atMs) => atMs > longAfterMs);
  return !isPostedTo || !others.some((some) => others.some((same) => isWithin(some, same)));
}

/** Whether others' deliveries to the same address had failed by then. */
export function isAfterOthers(run: WebhookTimeline, each: WatchedJob, atMs: number): boolean {
  return othersAt(run, each).some(([firstMs]) => firstMs !== undefined && firstMs < atMs);
}

/** Of each other job at an address that fails, when its deliveries came. */
function othersAt({ cases }: WebhookTimeline, each: WatchedJob): readonly (readonly number[])[] {
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
