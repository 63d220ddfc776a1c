/**
 * How long before its run a job is shown running. Variant A knows no state for a start-up, and its
 * duration may leave one out: what most jobs are shown for beyond the run that they state is none.
 * Of completed jobs it proves as much for those that ran into their limit. Spec §2.5, §3.1.
 */

import { precisionMs } from "../../timestamps.ts";
import type { JobReading } from "../job/reading.ts";
import { firstEnd, pollsToEnd, VIEW_LAG_MS } from "../job/reading.ts";
import { seenSlackMs } from "../job/seen-times.ts";

/** Ours: what is so of all jobs shows in most of a few; a rerun of single ones does not. */
const JOBS_MIN = 2;

/** As at least half of the jobs show it; 0 where they don't, or by no more than a view may lag. */
export function typicalShownEarly(shownEarlyMs: readonly number[]): number {
  const sorted = [...shownEarlyMs].sort((a, b) => a - b);
  const typicalMs = sorted.length < JOBS_MIN ? 0 : (sorted[(sorted.length - 1) >> 1] ?? 0);
  return typicalMs > VIEW_LAG_MS + seenSlackMs(typicalMs) ? typicalMs : 0;
}

/**
 * Of an ended job of variant A that was seen running, at the least: between polls, or by its own
 * stamps, from its submission on, so that no clocks are compared. null for any other.
 */
export function shownEarlyOf(reading: JobReading): number | null {
  const end = firstEnd(reading);
  const running = pollsToEnd(reading).filter(({ job }) => job.state === "running");
  const [first, last] = [running[0], running.at(-1)];
  if (end === null || first === undefined || last === undefined) return null;
  const { variant, durationMs, createdAt, finishedAt } = end.job;
  if (variant !== "A" || durationMs === null) return null;
  const seenMs = last.exchange.sentAtMs - first.exchange.receivedAtMs - durationMs;
  if (createdAt === null || finishedAt === null) return seenMs;
  const roundingMs = Math.max(precisionMs(createdAt), precisionMs(finishedAt));
  const startMs = finishedAt.ms - createdAt.ms - roundingMs - durationMs;
  const afterMs = first.exchange.receivedAtMs - reading.history.submission.sentAtMs;
  return Math.max(seenMs, startMs - afterMs);
}
