/**
 * Chooses the next step of a search: doubling until a rate fails, then halving the bracket, then
 * runs at both of its ends until each is sure. Pure: the runs so far in, the next one out.
 */

export type SearchPhase = "search" | "bisect" | "confirm";

/** One run that was made. */
export interface Attempt {
  phase: SearchPhase;
  rate: number;
  outcome: "pass" | "fail" | "withdrawn";
  /** What was completed a second while more than that was offered; null where that was not so. */
  throughput: number | null;
}

export interface SearchLimits {
  startRate: number;
  maxRate: number;
}

/** Why a search is over: the edge is known, or what kept it from being found. */
export type SearchEnd = "edge" | "max-rate" | "below" | "withdrawn" | "steps";

export type Next =
  | { done: false; phase: SearchPhase; rate: number }
  | { done: true; end: SearchEnd };

/** Ours: doubling finds the range of any service in a few short steps. */
const GROWTH = 2;
/** Ours: a bracket so narrow puts its middle within 3 % of the edge. */
const BRACKET = 1.055;
/**
 * Runs at each end. With three that agree, no edge beyond them is within the 95 % interval of the
 * profile likelihood: 0.5^3 is less likely than exp(-1.92).
 */
const RUNS_AT_AN_END = 3;
/** Ours: where even the lowest rate fails, so many times less is tried. */
const BELOW_FACTOR = 16;
/** Ours: a run that says nothing is made again, so often in a row. */
const WITHDRAWN_MAX = 6;
/** Ours: a service that answers differently each time is not searched for ever. */
const STEPS_MAX = 40;
/** Ours: where the edge is likely to be, by what was completed under overload. */
const GUIDES = [0.975, 1.025, 1.08, 0.92] as const;
/** Ours: nearer to an end of the bracket nothing is learnt. */
const APART = 1.008;

/** How many of the last runs in a row said nothing. */
export function withdrawnInARow(attempts: readonly Attempt[]): number {
  return attempts.length - 1 - attempts.findLastIndex(({ outcome }) => outcome !== "withdrawn");
}

export function nextStep(attempts: readonly Attempt[], given: SearchLimits): Next {
  const limits = { ...given, maxRate: highestWithin(given.maxRate) };
  const last = attempts.at(-1);
  if (last === undefined) return step("search", Math.min(limits.startRate, limits.maxRate));
  if (attempts.length >= STEPS_MAX) return { done: true, end: "steps" };
  if (last.outcome === "withdrawn") {
    const isHopeless = withdrawnInARow(attempts) >= WITHDRAWN_MAX;
    if (isHopeless) return { done: true, end: "withdrawn" };
    return step(last.phase, last.rate);
  }
  const { low, high, tied } = bracketOf(attempts);
  if (tied !== null) return step("confirm", tied);
  if (high === null) return upwards(attempts, low ?? limits.startRate, limits);
  if (low === null) return downwards(high, limits);
  const guide = guideOf(attempts);
  if (isDoubtful(attempts, low, guide)) return step("confirm", low);
  if (isOutdated(attempts, high, guide, low)) return step("confirm", high);
  if (high / low > BRACKET) return step("bisect", between(low, high, guide));
  return confirm(attempts, low, high, limits);
}

function step(phase: SearchPhase, rate: number): Next {
  return { done: false, phase, rate: rounded(rate) };
}

/** Ours: rates that differ in later digits are the same. */
const DIGITS = 4;

function rounded(rate: number): number {
  return Number(rate.toPrecision(DIGITS));
}

/** The highest rate of so many digits that does not exceed the limit: no search goes beyond it. */
function highestWithin(limit: number): number {
  const nearest = rounded(limit);
  const unit = 10 ** (Math.floor(Math.log10(limit)) - DIGITS + 1);
  return nearest > limit ? rounded(nearest - unit) : nearest;
}

export interface Bracket {
  /** The highest rate that was kept more often than not, and the lowest above that was not. */
  low: number | null;
  high: number | null;
  /** A rate at which as many runs passed as failed. */
  tied: number | null;
}

export function bracketOf(attempts: readonly Attempt[]): Bracket {
  const votes = new Map<number, number>();
  for (const { rate, outcome } of attempts) {
    if (outcome === "withdrawn") continue;
    votes.set(rate, (votes.get(rate) ?? 0) + (outcome === "pass" ? 1 : -1));
  }
  const rates = [...votes].sort(([a], [b]) => a - b);
  const low = rates.findLast(([, vote]) => vote > 0)?.[0] ?? null;
  const isAbove = (rate: number) => low === null || rate > low;
  const high = rates.find(([rate, vote]) => vote < 0 && isAbove(rate))?.[0] ?? null;
  const isWithin = (rate: number) => isAbove(rate) && (high === null || rate < high);
  const tied = rates.find(([rate, vote]) => vote === 0 && isWithin(rate))?.[0] ?? null;
  return { low, high, tied };
}

/** Ours: two rates so near to each other say the same, and each takes a run. */
const SAME_RATE = 1.01;

function upwards(attempts: readonly Attempt[], low: number, { maxRate }: SearchLimits): Next {
  if (low < maxRate) {
    const rate = low * growthAt(attempts, low);
    return step("search", rate * SAME_RATE < maxRate ? rate : maxRate);
  }
  const runs = fullRunsAt(attempts, low);
  return runs < RUNS_AT_AN_END ? step("confirm", low) : { done: true, end: "max-rate" };
}

/**
 * Ours: after a failure that was outvoted the edge is near, and farther with each rate above. Where
 * it was a short step's, the service was slower then.
 */
const CAREFUL_GROWTH = 1.06;

function growthAt(attempts: readonly Attempt[], low: number): number {
  const failed = attempts.filter(({ phase, rate, outcome }) => {
    return phase !== "search" && outcome === "fail" && rate <= low;
  });
  const highest = Math.max(...failed.map(({ rate }) => rate));
  if (failed.length === 0) return GROWTH;
  return Math.min(GROWTH, CAREFUL_GROWTH + low / highest - 1);
}

function downwards(high: number, { startRate }: SearchLimits): Next {
  const rate = high / GROWTH;
  if (rate < startRate / BELOW_FACTOR) return { done: true, end: "below" };
  return step("search", rate);
}

/** What was completed under the least overload that tells. */
function guideOf(attempts: readonly Attempt[]): number | null {
  const overloads = attempts.filter(({ outcome, throughput }) => {
    return outcome === "fail" && throughput !== null;
  });
  return overloads.sort((a, b) => a.rate - b.rate)[0]?.throughput ?? null;
}

/** Ours: what overload completes is known about as well as that. */
const GUIDE_SHARE = 0.9;

/** A short step may have seen too few jobs to show that more came than were completed. */
function isDoubtful(attempts: readonly Attempt[], low: number, guide: number | null): boolean {
  return guide !== null && guide < low * GUIDE_SHARE && fullRunsAt(attempts, low) === 0;
}

/** Ours: an overload that tells less than was kept, by more than chance, is no guide any more. */
const OUTDATED = 1.02;

/**
 * A rate was kept beyond what the overload let hope for: either it costs throughput, or the
 * service, or what it shares, was slower when that rate failed, which was in a short step.
 */
function isOutdated(
  attempts: readonly Attempt[],
  high: number,
  guide: number | null,
  low: number,
): boolean {
  return guide !== null && guide * OUTDATED <= low && fullRunsAt(attempts, high) === 0;
}

function between(low: number, high: number, guide: number | null): number {
  const guided = GUIDES.map((share) => (guide ?? 0) * share).find((rate) => {
    return rate > low * APART && rate < high / APART;
  });
  return guided ?? Math.sqrt(low * high);
}

function confirm(
  attempts: readonly Attempt[],
  low: number,
  high: number,
  { maxRate }: SearchLimits,
): Next {
  const [atLow, atHigh] = [fullRunsAt(attempts, low), fullRunsAt(attempts, high)];
  if (Math.min(atLow, atHigh) < RUNS_AT_AN_END) {
    return step("confirm", atLow <= atHigh ? low : high);
  }
  // Where runs contradict each other an end bounds nothing; the rate beyond it has to.
  const beyond = [
    isMixed(attempts, high) ? Math.min(maxRate, rounded(high * BRACKET)) : null,
    isMixed(attempts, low) ? rounded(low / BRACKET) : null,
  ].find((rate) => rate !== null && fullRunsAt(attempts, rate) < RUNS_AT_AN_END);
  return beyond == null ? { done: true, end: "edge" } : step("confirm", beyond);
}

/** Runs until the edge is known, if the service does not vary; null while it has no bounds. */
export function runsToCome(attempts: readonly Attempt[]): number | null {
  const { low, high } = bracketOf(attempts);
  if (low === null || high === null) return null;
  const halvings = Math.log2(Math.log(high / low) / Math.log(BRACKET));
  const bisections = Math.max(0, Math.ceil(halvings));
  const made = bisections > 0 ? 0 : fullRunsAt(attempts, low) + fullRunsAt(attempts, high);
  return Math.max(1, bisections + 2 * RUNS_AT_AN_END - made);
}

function isMixed(attempts: readonly Attempt[], at: number): boolean {
  const outcomes = attempts.filter(({ rate, phase }) => rate === at && phase !== "search");
  const has = (one: Attempt["outcome"]) => outcomes.some(({ outcome }) => outcome === one);
  return has("pass") && has("fail");
}

export function fullRunsAt(attempts: readonly Attempt[], rate: number): number {
  return attempts.filter((each) => {
    return each.rate === rate && each.phase !== "search" && each.outcome !== "withdrawn";
  }).length;
}
