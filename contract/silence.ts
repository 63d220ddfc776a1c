/** Times in which no request to the service got an answer of it: a crash, a restart, a lost way. */

/** A row of requests, of all that a scenario sent, that each got a 5xx or no answer at all. */
export interface Silence {
  /** When the first of them was sent, as far as known; ms since the epoch. */
  fromMs: number;
  /** When the last of them was answered or given up. */
  toMs: number;
  requests: number;
  /** By status; 0 where there was none. */
  statuses: Readonly<Record<number, number>>;
}

/** From the first to the last; ms since the epoch. */
export type Stretch = readonly [fromMs: number, toMs: number];

/** What one scenario met, in the order of time. */
export interface SilencesSeen {
  silences: readonly Silence[];
  /** From one good answer to the last before the next silence, or before nothing was asked. */
  answered: readonly Stretch[];
}
