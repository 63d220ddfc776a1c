/** How long a soak waits until jobs' costs are booked: before its load, after it, and for one. */

import { SHOWN_LATE_MS } from "../../contract/balance/bookings.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { PATIENCE_MS } from "../../contract/run/run-plan.ts";
import { ownMs } from "../../contract/time/promised-times.ts";

/** By the profile and, after a load, by how far apart its charges were booked. In ms. */
export interface Settling {
  /** From one look to the next, before a load and after it. */
  looksMs: { before: number; after: number };
  /** For so long everything rests first where there is patience: what is booked each minute is. */
  restMs: number;
  /** Else a load waits for so long until what ran before it is booked. */
  beforeMs: number;
  /** For so long, once more, each of the two jobs that tell a unit waits for its charge. */
  lateUnitMs: number;
  /** Amounts that rest tell enough, though their unit is not known. */
  isHasty: boolean;
  /** All of that and what follows a load, beyond a minute, at the most. */
  mostMs: number;
  after(everyMs: number | null, loadMs: number): BookingWait;
}

/** Until charges of jobs that have ended are booked: `leastMs` by what the load showed. */
export interface BookingWait {
  leastMs: number;
  mostMs: number;
}

/** Ours: charges are booked every minute of the service's at the least, if not at once. */
const MINUTE_MS = 60_000 + SHOWN_LATE_MS;
/** Ours: what ran before a load, and what is booked less often, is waited for by its profile. */
const MOST_MS: Readonly<Record<RunPlan["profile"], { before: number; after: number }>> = {
  quick: { before: 12_000, after: MINUTE_MS },
  standard: { before: MINUTE_MS, after: 120_000 + SHOWN_LATE_MS },
  soak: { before: MINUTE_MS, after: 300_000 + SHOWN_LATE_MS },
};
/** Ours: a look takes a second, and what is due may be shown in several parts. */
const LOOKS_MS = { before: 2_000, after: 20_000 } as const;

export function settlingOf(plan: Pick<RunPlan, "profile" | "times" | "isPatient">): Settling {
  const { profile, times, isPatient = false } = plan;
  const own = (statedMs: number) => ownMs(times, statedMs);
  const { before, after } = MOST_MS[profile];
  const minuteMs = own(MINUTE_MS + SHOWN_LATE_MS);
  const lateUnitMs = profile === "quick" || isPatient ? 0 : minuteMs;
  return {
    looksMs: { before: own(LOOKS_MS.before), after: own(LOOKS_MS.after) },
    restMs: isPatient ? minuteMs : 0,
    beforeMs: isPatient ? 0 : own(before),
    lateUnitMs,
    isHasty: profile === "quick" && !isPatient,
    mostMs: own(before + after - MINUTE_MS) + (isPatient ? own(PATIENCE_MS) : 2 * lateUnitMs),
    after: (everyMs, loadMs) => waitAfter(own, own(after), { everyMs, loadMs }),
  };
}

/**
 * What is booked together is booked again after as long as it was at the most while the load went
 * on. Where that is not known it may be as long as the load.
 */
function waitAfter(
  own: (statedMs: number) => number,
  mostMs: number,
  { everyMs, loadMs }: { everyMs: number | null; loadMs: number },
): BookingWait {
  const lateMs = own(SHOWN_LATE_MS);
  const isKnown = everyMs !== null;
  const dueMs = Math.max(own(isKnown ? LOOKS_MS.after : MINUTE_MS), (everyMs ?? loadMs) + lateMs);
  const leastMs = Math.min(mostMs, dueMs);
  return { leastMs, mostMs: isKnown ? Math.max(leastMs, own(MINUTE_MS)) : leastMs };
}
