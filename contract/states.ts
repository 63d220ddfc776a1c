/** The states of a job, in one vocabulary for both dialects. Spec §3.1. */

/** Canonical states in the order in which the spec lists them; the last four are terminal. */
export const STATES = [
  "accepted",
  "queued",
  "starting",
  "running",
  "completed",
  "failed",
  "timeout",
  "cancelled",
] as const;

export type State = (typeof STATES)[number];
export const VARIANTS = ["A", "B"] as const;
export type Variant = (typeof VARIANTS)[number];

/** Spelling of each state per variant; variant A knows no ACCEPTED and no STARTING. Spec §3.1. */
export const STATE_SPELLINGS: Readonly<Record<Variant, Readonly<Partial<Record<State, string>>>>> =
  {
    A: {
      queued: "queued",
      running: "running",
      completed: "completed",
      failed: "failed",
      timeout: "timeout",
      cancelled: "cancelled",
    },
    B: {
      accepted: "ACCEPTED",
      queued: "QUEUED",
      starting: "STARTING",
      running: "RUNNING",
      completed: "SUCCEEDED",
      failed: "FAILED",
      timeout: "TIMED_OUT",
      cancelled: "CANCELED",
    },
  };

/** Terminal states, one of which a well-behaved job of a known part reaches. Spec §3.1. */
export const END_STATES = ["completed", "failed", "timeout", "cancelled"] as const;
export type EndState = (typeof END_STATES)[number];

/** From a terminal state no further transition occurs; one that is not known is none. Spec §3.1. */
export function isTerminal(state: State | null | undefined): state is EndState {
  return END_STATES.some((end) => end === state);
}

/** Whether a job in that state, where one is known, waits for its turn. Spec §3.1, §3.2. */
export function isWaiting(state: State | null | undefined): boolean {
  return state === "accepted" || state === "queued";
}

/** A timeout is free, and a job that never ran has nothing to charge. Spec §1.4, §3.1. */
export function isFreeByRule(state: State | null): boolean {
  return state === "timeout" || state === "cancelled";
}

/** Position in the listed order; all terminal states share the last rank, 4. Spec §3.1. */
export function stateRank(state: State): number {
  return isTerminal(state) ? 4 : STATES.indexOf(state);
}

const BY_SPELLING: ReadonlyMap<unknown, { state: State; variant: Variant }> = new Map(
  (["A", "B"] as const).flatMap((variant) =>
    STATES.flatMap((state) => {
      const spelling = STATE_SPELLINGS[variant][state];
      return spelling === undefined ? [] : [[spelling, { state, variant }] as const];
    }),
  ),
);

/**
 * The state that a status text spells, with the variant it belongs to; null for an unknown text.
 */
export function parseStatus(text: unknown): { state: State; variant: Variant } | null {
  return BY_SPELLING.get(text) ?? null;
}
