/** What is said of how jobs are taken: a limit on those in flight, queues by key, standstills. */

import type { StepMeasurement } from "../contract/run/capacity-step.ts";
import type { CapacityStep } from "../report/capacity-model.ts";
import { duration, figure } from "../report/text.ts";
import { courseOf } from "./course.ts";
import { periodSeconds } from "./rhythm.ts";
import { CALM_LAG_MS } from "./standstill.ts";
import { quantileOf } from "./statistics/moments.ts";

export type Crowding = NonNullable<StepMeasurement["crowding"]>;

/** Ours: of fewer refusals chance may make anything; so much is as many. */
const AT_ONCE = { refusedMin: 5, otherShareMax: 0.1, agreedShare: 2 / 3, alikeShare: 0.1 };

/** Those that refused, and did not refuse polls as well, which a limited rate does. */
function telling(crowdings: readonly Crowding[]): Crowding[] {
  return crowdings.filter(({ refused, otherRefused }) => {
    return refused >= AT_ONCE.refusedMin && otherRefused <= refused * AT_ONCE.otherShareMax;
  });
}

/**
 * How many jobs may be in flight at once, where all that is refused is refused beyond that: what
 * limits a rate refuses with few in flight as well. Null where nothing tells.
 */
export function limitAtOnce(crowdings: readonly Crowding[]): number | null {
  return toldLimit(crowdings)?.limit ?? null;
}

/** With whose it is: a limit of each account, or each key, is no limit of all. */
function toldLimit(
  crowdings: readonly Crowding[],
): { limit: number; whose: Crowding["atOnceOf"] } | null {
  const told = telling(crowdings);
  const groups = Map.groupBy(
    told.filter(({ jobsAtOnce }) => jobsAtOnce !== null),
    ({ atOnceOf }) => atOnceOf,
  );
  const [most] = [...groups].sort(([, a], [, b]) => b.length - a.length);
  const limits = (most?.[1] ?? []).flatMap(({ jobsAtOnce }) => jobsAtOnce ?? []);
  const limit = limits.sort((a, b) => a - b)[Math.floor(limits.length / 2)];
  if (limit === undefined) return null;
  const alike = Math.max(1, limit * AT_ONCE.alikeShare);
  const agreed = limits.filter((each) => Math.abs(each - limit) <= alike);
  const isAgreed = agreed.length >= told.length * AT_ONCE.agreedShare;
  return isAgreed ? { limit, whose: most?.[0] } : null;
}

/**
 * Whether no limit on jobs at once explains the refusals, as others were accepted with more in
 * flight. Of one key: several may have such limits of their own.
 */
export function isNoLimitAtOnce(crowdings: readonly Crowding[]): boolean {
  const told = telling(crowdings.filter(({ openByKey }) => openByKey.length === 1));
  return told.length > 0 && told.every(({ jobsAtOnce }) => jobsAtOnce === null);
}

/** `isWaiting`: no job is submitted while a 429 asks to wait. */
export function limitRemark(crowdings: readonly Crowding[], isWaiting: boolean): string | null {
  const told = toldLimit(crowdings);
  if (told === null) return null;
  const { limit, whose } = told;
  const jobs = `${limit} jobs or more${whose === undefined ? "" : ` of their ${whose}`}`;
  const what = `submissions were refused only while ${jobs} were in flight`;
  const why = "a limit on jobs at once, not a rate; jobs that take longer reach it sooner";
  const waits = "each 429 held back what was due in its wait: --beyond-plan may keep more";
  return isWaiting ? `${what}: ${why}; ${waits}` : `${what}: ${why}`;
}

/** Ours: of a common queue as many wait as are submitted; a third of a dozen is no chance. */
const APART = { factor: 3, expectedMin: 12 };

/** Keys whose jobs wait while those of others do not, in steps that overloaded the service. */
export function keysRemark(overloads: readonly Crowding[]): string | null {
  const keys = new Map<string, { perSecond: number; open: number }>();
  for (const { key, perSecond, open } of overloads.flatMap(({ openByKey }) => openByKey)) {
    const sum = keys.get(key) ?? { perSecond: 0, open: 0 };
    keys.set(key, { perSecond: sum.perSecond + perSecond, open: sum.open + open });
  }
  const all = [...keys].map(([key, sum]) => ({ key, ...sum, waits: sum.open / sum.perSecond }));
  const [most, ...others] = all.sort((a, b) => b.waits - a.waits);
  if (most === undefined) return null;
  const spared = others.filter(({ perSecond, open }) => {
    const expected = most.waits * perSecond;
    return expected >= APART.expectedMin && open * APART.factor <= expected;
  });
  if (spared.length === 0) return null;
  const names = spared.map(({ key }) => key).join(", ");
  const what = `jobs of key ${most.key} waited, those of ${names} did not`;
  const why = "they have queues of their own, or some go first";
  return `${what}: ${why}; with other shares of the load the rate is another`;
}

/** Ours: once or twice is another matter. */
const TIMES_MIN = 3;

/**
 * For a second and more no job ended, several times, though many were due: garbage collection,
 * backups, or work in batches. What ends is even where nothing stands still.
 */
export function standstillRemark(steps: readonly CapacityStep[]): string | null {
  const seen = steps.filter(({ outcome, stopped, generator }) => {
    const isCalm = (generator.hostLagMs ?? 0) <= CALM_LAG_MS;
    return outcome === "pass" && stopped === null && isCalm;
  });
  const all = seen.flatMap((step) => {
    const warmUpSeconds = step.seconds - step.measuredSeconds;
    return courseOf(step).standstills.filter(({ fromSeconds, untilSeconds }) => {
      return fromSeconds > 0 && untilSeconds > warmUpSeconds;
    });
  });
  if (all.length < TIMES_MIN) return null;
  const seconds = seen.reduce((sum, step) => sum + step.measuredSeconds, 0);
  const longest = duration(Math.max(...all.map(({ ms }) => ms)));
  const what = `no job ended for up to ${longest}, ${all.length} times in ${figure(seconds)} s`;
  const period = periodSeconds(seen.flatMap((step) => courseOf(step).rhythm ?? []));
  const every = period === null ? "" : ` (every ${figure(period)} s)`;
  const why = `the service stands still now and then, or works in batches${every}`;
  return `${what}, at rates that were kept: ${why}`;
}

/** The same of a service that slows down, and never stands still. */
export function turnsRemark(steps: readonly CapacityStep[]): string | null {
  const kept = steps.filter(({ outcome }) => outcome === "pass");
  const seen = kept.flatMap((step) => {
    const { turns } = courseOf(step);
    return turns?.periodSeconds == null ? [] : turns;
  });
  if (seen.length === 0) return null;
  const period = quantileOf(
    seen.map(({ periodSeconds }) => periodSeconds ?? 0),
    0.5,
  );
  const waits = duration(Math.max(...seen.map(({ swingMs }) => swingMs)));
  const what = `jobs ended faster and slower in turns, every ${figure(period)} s`;
  return `${what}, at rates that were kept: up to ${waits} of load wait for the faster ones`;
}
