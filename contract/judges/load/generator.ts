/** Judges the generator before the service: a late generator has no say in what it measured. */

/** How well the generator kept to its schedule. */
export interface GeneratorHealth {
  /** Submissions that the schedule had. */
  scheduled: number;
  /** Not sent, as too many requests were without an answer already. */
  dropped: number;
  /** By how much submissions were sent late. */
  lagP99Ms: number;
  /** By how much timers fired late. */
  loopDelayP99Ms: number;
  loopDelayMaxMs: number;
}

/** Ours: what is not sent is not measured either; so much of it changes no figure by much. */
const DROPPED_SHARE_MAX = 0.02;
/** Ours: well below the objectives that operators set. */
const LAG_P99_MS_MAX = 250;

/** Why figures of this run can't be trusted, in a sentence; null when they can. */
export function generatorDoubt(health: GeneratorHealth): string | null {
  const { scheduled, dropped, lagP99Ms, loopDelayP99Ms } = health;
  if (scheduled > 0 && dropped / scheduled > DROPPED_SHARE_MAX) {
    return `the generator dropped ${dropped} of ${scheduled} submissions of its schedule`;
  }
  const lateMs = Math.max(lagP99Ms, loopDelayP99Ms);
  if (lateMs > LAG_P99_MS_MAX) {
    return `the generator was late by ${Math.round(lateMs)} ms (p99); at most ${LAG_P99_MS_MAX} ms`;
  }
  return null;
}
