/** Why steps tell no rate of a service that is faster and slower by turns, at no regular times. */

import type { CapacityEstimate, CapacityStep } from "../report/capacity-model.ts";
import { duration, figure } from "../report/text.ts";
import { courseOf, intervalOf } from "./course.ts";
import { periodSeconds } from "./rhythm.ts";
import type { Search } from "./search-state.ts";
import { CALM_LAG_MS } from "./standstill.ts";

/** Ours: steps so near to the edge set it. */
const NEAR = 1.25;
/** Ours: of so many phases a step is a fair mean; so many steps must show longer ones. */
const FAIR = { phases: 4, stepsMin: 2 };

/**
 * Ours: so much more, and more than chance makes of it, is another speed; a step that completed
 * less than that share of what it was offered shows how fast the service was.
 */
const OTHER = { factor: 1.3, deviations: 3.5, overloadedShare: 0.9 };
/**
 * Ours: what ends beyond so much of the capacity, more than run at once and than chance makes of
 * it, was waiting for a faster service.
 */
const LEAP = { factor: 1.5, jobsMin: 12 };
/** Ours: rates so near to each other are the same. */
const SAME_RATE = 0.97;
/** Ours: a search takes so many steps; longer ones, or searches, are refused. */
const NEXT = { steps: 20, stepMinutesMax: 30, minutesMax: 360 };

/** In a sentence; null: they do tell it. */
export function unevenOf(
  { steps, rhythms, soughtMs }: Pick<Search, "steps" | "rhythms" | "soughtMs">,
  estimate: CapacityEstimate,
): string | null {
  const slow = slowWhile(steps, periodSeconds(rhythms) ?? 0);
  if (slow !== null || rhythms.length > 0) return slow;
  const { perSecond } = estimate;
  const near = steps.filter(({ phase, stopped, ratePerSecond: rate }) => {
    const isNear = rate !== null && rate < perSecond * NEAR && rate > perSecond / NEAR;
    return isNear && phase !== "search" && stopped === null;
  });
  return (
    leapsBeyond(near, estimate, lengthOf(steps)) ?? (soughtMs === null ? tooLongTurns(near) : null)
  );
}

/** Each step shows mostly a slow phase, or a fast one, and none shows when these come again. */
export function tooLongTurns(steps: readonly CapacityStep[]): string | null {
  const seen = steps.flatMap((step) => {
    const { turns } = courseOf(step);
    return turns !== null && turns.phaseSeconds * FAIR.phases > step.seconds ? turns : [];
  });
  if (seen.length < FAIR.stepsMin) return null;
  const seconds = Math.max(...seen.map(({ phaseSeconds }) => phaseSeconds));
  const what = `jobs ended faster and slower in turns, for ${duration(seconds * 1_000)} or longer`;
  return `${what} each: ${longerSteps(seconds * FAIR.phases * 2)}`;
}

function longerSteps(seconds: number): string {
  const minutes = Math.min(NEXT.stepMinutesMax, Math.ceil(seconds / 60));
  const time = Math.min(NEXT.minutesMax, minutes * NEXT.steps);
  return `try --step ${minutes}m --time ${time}m`;
}

/** What a planner can count on, and how to learn more. */
function slowerFor(safePerSecond: number, searchSeconds: number): string {
  const safe = `plan with ${figure(safePerSecond)} a second`;
  return `the service is slower for a while; ${safe}, or ${longerSteps(searchSeconds)}`;
}

/** What waited ended so fast that a slow phase, and no lack of capacity, had made it wait. */
function leapsBeyond(
  steps: readonly CapacityStep[],
  { low, high }: CapacityEstimate,
  searchSeconds: number,
): string | null {
  const leaps = steps.flatMap((step) => {
    const seen = isOwnPace(step) ? leapsIn(step, high) : [];
    return seen.length < FAIR.phases ? seen.slice(0, 1) : [];
  });
  const most = leaps.sort((a, b) => b.jobs - a.jobs)[0];
  if (most === undefined || leaps.length < FAIR.stepsMin) return null;
  const [jobs, pace, rate] = [most.jobs, most.perSecond, most.rate].map(figure);
  const span = duration(most.seconds * 1_000);
  const what = `${jobs} jobs ended within ${span}, ${pace} a second, at ${rate} a second`;
  return `${what}: ${slowerFor(low, searchSeconds)}`;
}

interface Leap {
  jobs: number;
  seconds: number;
  perSecond: number;
  rate: number;
}

/** The stretches in which more ended than a service of that capacity could have done. */
function leapsIn({ points, ratePerSecond: rate, runMs }: CapacityStep, capacity: number): Leap[] {
  const least = Math.max(LEAP.jobsMin, ((runMs?.p95 ?? 0) / 1_000) * capacity);
  const leaps: Leap[] = [];
  let [jobs, seconds, beyond, most] = [0, 0, 0, least];
  const interval = intervalOf(points);
  for (const { completedPerSecond } of points) {
    beyond += (completedPerSecond - LEAP.factor * capacity) * interval;
    if (beyond <= 0) [jobs, seconds, beyond, most] = [0, 0, 0, least];
    else {
      jobs += completedPerSecond * interval;
      seconds += interval;
      if (beyond > most) {
        if (most > least) leaps.pop();
        leaps.push({ jobs, seconds, perSecond: jobs / seconds, rate: rate ?? 0 });
        most = beyond;
      }
    }
  }
  return leaps;
}

interface Speed {
  perSecond: number;
  rate: number;
  /** Relative standard error, with lengths of jobs that deviate by their mean, or more. */
  error: number;
  isOverloaded: boolean;
  atMs: number;
}

/**
 * One step fell behind what another completed of as many or more, and on its other side in time as
 * much was completed: overload would harm both alike, and what grows, or ails, doesn't come back.
 */
export function slowWhile(steps: readonly CapacityStep[], periodSeconds: number): string | null {
  const speeds = steps.flatMap((step) => {
    return step.measuredSeconds < 2 * periodSeconds ? [] : (speedOf(step) ?? []);
  });
  const slow = speeds.flatMap((speed, at) => {
    const fasterIn = (some: readonly Speed[]) => some.filter((each) => isFaster(each, speed));
    const [before, after] = [fasterIn(speeds.slice(0, at)), fasterIn(speeds.slice(at + 1))];
    const alike = [...before, ...after].filter(({ rate }) => rate >= speed.rate * SAME_RATE);
    const isTold = speed.isOverloaded && before.length > 0 && after.length > 0;
    return isTold ? alike.map((fast) => ({ ...speed, fast: fast.perSecond })) : [];
  });
  // The lowest of all is what a planner can count on.
  const most = slow.sort((a, b) => a.perSecond - b.perSecond || b.fast - a.fast)[0];
  if (most === undefined) return null;
  const [low, rate, high] = [most.perSecond, most.rate, most.fast].map(figure);
  const at = duration(most.atMs - (steps[0]?.startedAtMs ?? 0));
  const then = `${low} were completed at ${rate} a second ${at} into the search`;
  const what = `${then}, ${high} at other times`;
  return `${what}: ${slowerFor(most.perSecond, lengthOf(steps))}`;
}

/** Seconds: a step as long as the search sees the same again. */
function lengthOf(steps: readonly CapacityStep[]): number {
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return 0;
  return last.seconds + (last.startedAtMs - first.startedAtMs) / 1_000;
}

function isFaster(one: Speed, other: Speed): boolean {
  const chance = OTHER.deviations * Math.hypot(one.error, other.error);
  return one.perSecond > other.perSecond * Math.max(OTHER.factor, Math.exp(chance));
}

/** False where refusals, errors, the budget or this machine may have set how fast jobs ended. */
function isOwnPace({ failures, generator }: CapacityStep): boolean {
  const isSlow = failures.every(({ bottleneck }) => !["limiter", "errors"].includes(bottleneck));
  return isSlow && (generator.hostLagMs ?? 0) <= CALM_LAG_MS;
}

function speedOf(step: CapacityStep): Speed | null {
  const { ratePerSecond: rate, achievedPerSecond: perSecond, runMs } = step;
  if (rate === null || perSecond === null || !isOwnPace(step)) return null;
  const isOverloaded = step.outcome !== "pass" && perSecond < rate * OTHER.overloadedShare;
  const jobs = Math.max(1, perSecond * step.measuredSeconds);
  const longest = runMs === null ? 0 : runMs.max / Math.max(1, runMs.p50) / Math.sqrt(runMs.count);
  const error = Math.max(1, longest) / Math.sqrt(jobs);
  return { perSecond, rate, error, isOverloaded, atMs: step.startedAtMs };
}
