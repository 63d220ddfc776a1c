/** Times in which no request to the service got an answer of it: a crash, a restart, a lost way. */

import type { RunPlan } from "../run/run-plan.ts";

/** Ours: as long as a request is waited for; before that nobody knows. */
export const PROBE_AFTER_MS = 15_000;
/** Ours: a service under load that answers each request after 40 s is alive. */
export const PROBE_TIMEOUT_MS = 50_000;
/** Ours: a failover or a restart may take a minute; what answers by then was answered here, too. */
const UNAVAILABLE_MS = PROBE_AFTER_MS + PROBE_TIMEOUT_MS;
/** Ours: a soak may last for hours, and what a person has to start again is away for longer. */
const UNAVAILABLE_IN_SOAK_MS = 300_000;
/** Ours: a port that refuses is asked that often whether it still does. */
export const PROBE_EVERY_MS = 2_000;

/** How long nobody is answered, in ms, before a run ends for that. */
export function unavailableAfterMs({ profile }: Pick<RunPlan, "profile">): number {
  return profile === "soak" ? UNAVAILABLE_IN_SOAK_MS : UNAVAILABLE_MS;
}

/** A row of requests, of all that a scenario sent, that each got a 5xx or no answer at all. */
export interface Silence {
  /** When the first of them was sent, as far as known; ms since the epoch. */
  fromMs: number;
  /** When the last of them was answered or given up. */
  toMs: number;
  requests: number;
  /** By status; 0 where there was none. */
  statuses: Readonly<Record<number, number>>;
  /** What all of them asked for; left out or null: several routes, none of them alone to blame. */
  path?: string | null;
}

/** From the first to the last; ms since the epoch. */
export type Stretch = readonly [fromMs: number, toMs: number];

/** What one scenario met, in the order of time. */
export interface SilencesSeen {
  silences: readonly Silence[];
  /** From one good answer to the last before the next silence, or before nothing was asked. */
  answered: readonly Stretch[];
}

/** Since when nobody was answered to the end of it; null where somebody was, by whatever status. */
export function lastingSince({ silences, answered }: SilencesSeen): number | null {
  const last = silences.at(-1);
  if (last === undefined || Object.keys(last.statuses).some((status) => status !== "0"))
    return null;
  return answered.some(([, toMs]) => toMs > last.toMs) ? null : last.fromMs;
}
