/**
 * How far views of a job lag behind: a replica or a cache shows a state for some time after the
 * service's own times, or a webhook, say that it had passed. A view never runs ahead: what it shows
 * as ended has ended.
 */

import type { Offset } from "./clock-offset.ts";
import { placed } from "./clock-offset.ts";
import type { Track } from "./track.ts";
import { endOf } from "./track.ts";

/** The least lag that each of the last jobs has shown, in ms; 0: none. Newest last. */
export interface ViewLagKnowledge {
  readonly leastMs: readonly number[];
}

export const NO_LAG_KNOWN: ViewLagKnowledge = { leastMs: [] };

/** Ours: some minutes of canaries. */
const JOBS_MAX = 32;
/** Ours: a few jobs may have wrong times; a view that lags does so steadily. */
const JOBS_MIN = 5;
/** Ours: each job shows its lag in part only, as nobody polls at the moment of its end. */
const UNSEEN_FACTOR = 2;
/** Ours: a clock that was set looks like more; no view that anyone reads lags so far behind. */
const LAG_MS_MAX = 30_000;

export function learnViewLag({ leastMs }: ViewLagKnowledge, ms: number): ViewLagKnowledge {
  return ms > LAG_MS_MAX ? { leastMs } : { leastMs: [...leastMs, ms].slice(-JOBS_MAX) };
}

/** By how much a poll may have shown what was no longer so; 0 until enough jobs have shown it. */
export function viewLagMs({ leastMs }: ViewLagKnowledge): number {
  const lagging = leastMs.filter((ms) => ms > 0);
  return lagging.length < JOBS_MIN ? 0 : UNSEEN_FACTOR * Math.max(...lagging);
}

/**
 * How much later than its end a job was still shown as not ended, at the least; 0 where no poll
 * contradicts, null where nothing but polls tells of the end.
 */
export function leastLagMs(track: Track, offset: Offset | null): number | null {
  const end = endOf(track);
  const { stamps, delivery, era } = track;
  const told = [
    ...(delivery !== null && delivery.era === era ? [delivery.arrivedAtMs] : []),
    ...(stamps.finished !== null && offset !== null
      ? [placed(stamps.finished, offset).highMs]
      : []),
  ];
  const before = track.polls.filter((poll) => poll.era === era && poll.state !== end);
  if (end === null || told.length === 0 || before.length === 0) return null;
  const lastMs = Math.max(...before.map(({ sentAtMs }) => sentAtMs));
  return Math.max(0, lastMs - Math.min(...told));
}
