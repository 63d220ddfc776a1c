/** How far what was seen of a job from outside may be off what the service states of it. */

/** Ours: start, end and duration are each rounded to a millisecond. */
export const ROUNDING_MS = 2;

/** Ours: what an answer may lag behind the job that it shows, and two clocks' rates may differ. */
const SLACK = { ms: 50, share: 0.01 } as const;

export function seenSlackMs(spanMs: number): number {
  return SLACK.ms + SLACK.share * Math.max(spanMs, 0);
}
