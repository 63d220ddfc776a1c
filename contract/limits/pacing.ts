/**
 * When requests may be sent that stay below a rate: a generic cell rate algorithm over absolute
 * times, ITU-T I.371. It is told the time, and others wait.
 */

export interface Pacing {
  /** When the next request may be sent; callers are served in order. */
  book(nowMs: number): number;
  /** The same; null, and no place in the line taken, when that would be later than `byMs`. */
  bookBy(nowMs: number, byMs: number): number | null;
  /** Nothing is sent before that time: for an answer 429 with its Retry-After. */
  holdUntil(atMs: number): void;
  /** Until when a hold lasts; the past when none does. */
  readonly heldUntilMs: number;
  /** Keeps to another rate from now on. */
  use(perSecond: number): void;
}

/** Up to `slack` requests go out ahead of their time, after a rest. */
export function pacing(perSecond: number, slack = 0): Pacing {
  let spacingMs = 1_000 / perSecond;
  let theoreticalMs = 0;
  let heldUntilMs = 0;
  const bookBy = (nowMs: number, byMs: number) => {
    const startMs = Math.max(theoreticalMs, nowMs);
    const atMs = Math.max(nowMs, startMs - slack * spacingMs);
    if (atMs > byMs) return null;
    theoreticalMs = startMs + spacingMs;
    return atMs;
  };
  return {
    book: (nowMs) => bookBy(nowMs, Number.POSITIVE_INFINITY) ?? nowMs,
    bookBy,
    holdUntil(atMs) {
      heldUntilMs = Math.max(heldUntilMs, atMs);
      theoreticalMs = Math.max(theoreticalMs, atMs + slack * spacingMs);
    },
    get heldUntilMs() {
      return heldUntilMs;
    },
    use(rate) {
      spacingMs = 1_000 / rate;
    },
  };
}
