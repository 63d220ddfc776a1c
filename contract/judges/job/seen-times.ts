/** How far what the service states of a job may be off what is seen of it, and off itself. */

/** Ours: start, end and duration are each rounded to a millisecond. */
export const ROUNDING_MS = 2;

/** Ours: what an answer may lag behind the job that it shows, and two clocks' rates may differ. */
const SLACK = { ms: 50, share: 0.01 } as const;

export function seenSlackMs(spanMs: number): number {
  return SLACK.ms + SLACK.share * Math.max(spanMs, 0);
}
