/** Rate-limit plans of the service. Spec §8. */

export type PlanName = "free" | "pro" | "enterprise";

/** What a key may send: requests per second for ever, and requests at once after a rest. */
export interface RateLimit {
  sustained: number;
  burst: number;
}

/** Declared limits of the plans that have fixed ones; enterprise is custom. Spec §8. */
export const PLAN_LIMITS: Readonly<Record<"free" | "pro", RateLimit>> = {
  free: { sustained: 10, burst: 20 },
  pro: { sustained: 50, burst: 100 },
};

/** Ours: requests per second on a key whose plan is not declared; half of the smallest plan. */
export const UNDECLARED_PER_SECOND = PLAN_LIMITS.free.sustained / 2;

/** What is declared of a key; null when not both are. */
export function declaredLimit(key: {
  sustained: number | null;
  burst: number | null;
}): RateLimit | null {
  const { sustained, burst } = key;
  return sustained === null || burst === null ? null : { sustained, burst };
}

/** Active keys, the fastest first; those without a declared limit last. */
export function activeByRate<Key extends { state: string; sustained: number | null }>(
  keys: readonly Key[],
): Key[] {
  const active = keys.filter(({ state }) => state === "active");
  return active.sort((a, b) => (b.sustained ?? 0) - (a.sustained ?? 0));
}

/** Credits included in the free plan each month. Spec §2.9, §8. */
export const FREE_CREDITS_PER_MONTH = 100;

/** Jobs that the list endpoint returns at the most. Spec §4.5. */
export const LISTED_JOBS_MAX = 100;

/**
 * By what share of its plan a key is overloaded. Ours: well above it, and off its rate's grid; by
 * little from that rate on, as no generator sends twice as much.
 */
const OVERLOAD = { factor: 2.4, strongFactor: 1.15, strongPerSecond: 500 };

/** Requests a second by which a key's limit is overloaded. */
export function overloadPerSecond(limit: RateLimit): number {
  return limit.sustained * (isStrong(limit) ? OVERLOAD.strongFactor : OVERLOAD.factor);
}

export function isStrong({ sustained }: RateLimit): boolean {
  return sustained > OVERLOAD.strongPerSecond;
}

/** Time in which a limiter of any lawful kind has forgotten a full burst: burst / sustained. */
export function windowMs(limit: RateLimit): number {
  return (limit.burst / limit.sustained) * 1000;
}
