/**
 * How far views of a job lag behind: a replica or a cache shows a state for some time after the
 * service's own times, or a webhook, say that it had passed. A view never runs ahead: what it shows
 * as ended has ended.
 */

import type { Offset } from "./clock-offset.ts";
import { placed } from "./clock-offset.ts";
import type { Interval } from "./interval.ts";
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
  const webhookMs = endByWebhookMs(track, offset);
  const stamped = finishedAt(track, offset);
  const told = [...(webhookMs === null ? [] : [webhookMs]), ...(stamped ? [stamped.highMs] : [])];
  const shownMs = openUntilMs(track);
  if (end === null || told.length === 0 || shownMs === null) return null;
  return Math.max(0, shownMs - Math.min(...told));
}

/** How long after its webhook, and its end, a job was still shown as not ended; 0: it was not. */
export function openAfterWebhookMs(track: Track, offset: Offset | null): number {
  const webhookMs = endByWebhookMs(track, offset);
  return webhookMs === null ? 0 : Math.max(0, (openUntilMs(track) ?? webhookMs) - webhookMs);
}

/**
 * When the job had ended by what its webhook tells: as it came, or at the end that the service
 * dates where that is later, as then it came too early. A date after the end was seen is of a clock
 * that is ahead, and tells nothing. null: no webhook of this clock.
 */
function endByWebhookMs(track: Track, offset: Offset | null): number | null {
  const { delivery, era } = track;
  if (delivery === null || delivery.era !== era) return null;
  const finished = finishedAt(track, offset);
  const end = endOf(track);
  const ended = track.polls.find((poll) => poll.era === era && poll.state === end);
  const isEarly =
    finished !== null &&
    finished.lowMs > delivery.arrivedAtMs &&
    finished.lowMs <= (ended?.receivedAtMs ?? Number.POSITIVE_INFINITY);
  return isEarly ? finished.highMs : delivery.arrivedAtMs;
}

function finishedAt({ stamps }: Track, offset: Offset | null): Interval | null {
  return stamps.finished === null || offset === null ? null : placed(stamps.finished, offset);
}

/** When the last poll was sent that showed it as not ended; null: none did. */
function openUntilMs(track: Track): number | null {
  const end = endOf(track);
  const open = track.polls.filter((poll) => poll.era === track.era && poll.state !== end);
  return open.length === 0 ? null : Math.max(...open.map(({ sentAtMs }) => sentAtMs));
}
