/** Whether a service was slower in mid-search than before and after, by its speed in each step. */

import type { CapacityStep } from "../report/capacity-model.ts";
import { duration, figure } from "../report/text.ts";
import { CALM_LAG_MS } from "./standstill.ts";

/**
 * Ours: so much more, and more than chance makes of it, is another speed; a step that completed
 * less than that share of what it was offered shows how fast the service was.
 */
const OTHER = { factor: 1.3, deviations: 3.5, overloadedShare: 0.9 };
/** Ours: rates so near to each other are the same. */
const SAME_RATE = 0.97;
/** Ours: a step as long as this search sees the same again; a search takes so many. */
const NEXT = { steps: 20, minutesMax: 360 };

interface Speed {
  perSecond: number;
  rate: number;
  /** Relative standard error, with lengths of jobs that deviate by their mean, or more. */
  error: number;
  isOverloaded: boolean;
  atMs: number;
}

/**
 * Why steps tell no rate, in a sentence; null where nothing speaks against them. One fell behind
 * what another completed of as many or more, and on its other side in time as much was completed:
 * overload would harm both alike, and what grows, or ails, doesn't come back.
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
  const most = slow.sort((a, b) => a.perSecond / a.fast - b.perSecond / b.fast)[0];
  const [first, last] = [steps[0], steps.at(-1)];
  if (most === undefined || first === undefined || last === undefined) return null;
  const [low, rate, high] = [most.perSecond, most.rate, most.fast].map(figure);
  const at = duration(most.atMs - first.startedAtMs);
  const then = `${low} were completed at ${rate} a second ${at} after it began`;
  const what = `${then}, ${high} at other times`;
  const searchMs = last.startedAtMs + last.seconds * 1_000 - first.startedAtMs;
  const minutes = Math.ceil(searchMs / 60_000);
  const time = Math.min(NEXT.minutesMax, minutes * NEXT.steps);
  const how = `--step ${minutes}m --time ${time}m may tell`;
  return `${what}: the service is slower for a while; ${how}`;
}

function isFaster(one: Speed, other: Speed): boolean {
  const chance = OTHER.deviations * Math.hypot(one.error, other.error);
  return one.perSecond > other.perSecond * Math.max(OTHER.factor, Math.exp(chance));
}

/** Null where refusals, errors, the budget or this machine may have set it. */
function speedOf(step: CapacityStep): Speed | null {
  const { ratePerSecond: rate, achievedPerSecond: perSecond, failures, generator, runMs } = step;
  const isSlow = failures.every(({ bottleneck }) => !["limiter", "errors"].includes(bottleneck));
  const isCalm = (generator.hostLagMs ?? 0) <= CALM_LAG_MS;
  if (rate === null || perSecond === null || !isSlow || !isCalm) return null;
  const isOverloaded = step.outcome !== "pass" && perSecond < rate * OTHER.overloadedShare;
  const jobs = Math.max(1, perSecond * step.measuredSeconds);
  const longest = runMs === null ? 0 : runMs.max / Math.max(1, runMs.p50) / Math.sqrt(runMs.count);
  const error = Math.max(1, longest) / Math.sqrt(jobs);
  return { perSecond, rate, error, isOverloaded, atMs: step.startedAtMs };
}
