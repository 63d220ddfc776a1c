/** How soon after their jobs' ends first deliveries come, and which of them come later. */

import { precisionMs } from "../../time/timestamps.ts";
import type { WatchedJob, WebhookTimeline } from "./timeline.ts";

/** How much later after its job's end it first came than that share of all; 0: not known. */
export function lateAfterEndMs(run: WebhookTimeline, each: WatchedJob, share: number): number {
  const own = lagAfterEnd(each);
  const others = run.ended.flatMap((other) => lagAfterEnd(other) ?? []);
  const usual = [...others].sort((a, b) => a.most - b.most)[Math.floor(others.length * share)];
  return own === null || usual === undefined ? 0 : Math.max(0, own.least - usual.most);
}

/**
 * From the end to the arrival, by two clocks whose difference is the same for all jobs; an end that
 * is told in whole seconds may have been later than told.
 */
function lagAfterEnd(each: WatchedJob): { least: number; most: number } | null {
  const arrivedAtMs = each.deliveries[0]?.arrivedAtMs;
  const finished = each.endedJob?.finishedAt;
  if (arrivedAtMs === undefined || finished == null) return null;
  const most = arrivedAtMs - finished.ms;
  return { least: most - precisionMs(finished), most };
}
