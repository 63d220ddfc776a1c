/** When a service's certificate is valid, and when it should have been renewed. */

/** In milliseconds since the epoch. */
export interface Validity {
  fromMs: number;
  untilMs: number;
}

/**
 * What is left of a certificate that nobody renews in time. Ours: what renews by itself does so
 * when a third is left (of 90 days: 30), so that a fifth shows that it fails; where people renew a
 * certificate of a year, two weeks are what they need.
 */
export const OVERDUE = { share: 0.2, secondsMax: 14 * 86_400 } as const;

/** Whether the certificate should have been renewed by then. */
export function isRenewalOverdue({ fromMs, untilMs }: Validity, nowMs: number): boolean {
  const dueMs = Math.min((untilMs - fromMs) * OVERDUE.share, OVERDUE.secondsMax * 1_000);
  return untilMs - nowMs < dueMs;
}
