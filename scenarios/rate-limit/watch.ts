/**
 * What keys do once they were measured, while slower scenarios go on: bursts after long rests, and
 * overloads that together outlast a minute, so that what happens now and then is seen as well.
 */

import { isExcessive } from "../../contract/judges/rate/burst.ts";
import type { Burst, Drain, Watch } from "../../contract/judges/rate/trial.ts";
import { plainOf, shotsWith } from "../../contract/judges/rate/trial.ts";
import { overloadPerSecond, windowMs } from "../../contract/plans.ts";
import type { KeyRoles } from "../../contract/run/run-plan.ts";
import type { Context } from "../client/context.ts";
import { fireMixedBurst, isPaid, isShort } from "./bursts.ts";
import type { LimitedKey } from "./key.ts";
import { burstSize, isDemanding, LONG_REST_WINDOWS, rest, restFor, silentFromMs } from "./key.ts";
import { fireBurst, sendEvenly } from "./sending.ts";

/** Ours: longer than the half minute for which a service may save up what an idle key earns. */
const LONG_REST_MS = 31_000;
const LONG_REST_SPREAD_MS = 6_000;
/** Ours: every so many rests one is twice as long. */
const DOUBLED_EVERY = 4;
/** Ours: and one, which is none of these and not the first, asks all endpoints. */
const MIXED_AT = 1;
/** Ours: a burst that is too long is tried again: fixed windows may have met in it. */
const RESTS_IN_DOUBT = 3;
/** Ours: after a burst of which none was refused, how much there is at once takes more to see. */
const UNREFUSED_FACTOR = 2;
/** Ours: in a longer one the tolerance of the rate would hide an allowance that begins anew. */
const OVERLOAD_MS = 28_000;
/** Ours: they outlast a minute; where others take longer anyway, also what lies between them. */
const OVERLOADS_MIN = 2;
const OVERLOADS_MAX = 3;
const OVERLOAD_JITTER_SHARE = 0.5;
/** Ours: what watching may add to the requests of the measuring; an overload takes half of it. */
const REQUESTS_SHARE = 0.23;

/** Requests that are left to those that watch. */
interface Allowance {
  requests: number;
}

/**
 * The first key of each plan rests; those of larger plans have a burst now, and one at the end. The
 * slowest is overloaded that is left over; where it takes more requests than may be sent, the
 * slowest of all, which rests afterwards.
 */
export function watchKeys(context: Context, measured: readonly LimitedKey[]): Promise<Watch[]> {
  const keys = measured
    .filter((key) => isSpare(context.plan.roles, key.name) && isRestedInTime(key))
    .filter(({ revocation }) => !revocation.isSeen)
    .sort((a, b) => a.limit.burst - b.limit.burst);
  const resting = keys.filter((key, at) => keys.findIndex((each) => isAlike(each, key)) === at);
  const sent = measured.reduce((sum, key) => sum + key.sent, 0);
  const left: Allowance = { requests: REQUESTS_SHARE * sent };
  const isLeftOver = (key: LimitedKey) =>
    !resting.includes(key) && overloadRequests(key) <= left.requests;
  const overloaded = keys.find(isLeftOver) ?? resting[0];
  const untilMs = Math.min(context.world.now() + othersMs(context), context.deadlineAtMs);
  const watch = async (key: LimitedKey): Promise<Watch> => {
    const presses = key === overloaded ? await overloadLong(key, left, untilMs) : [];
    const restsUntilMs = key === resting[0] ? untilMs : 0;
    const isLate = key !== resting[0] && resting.includes(key) && isWorthLate(key, left, untilMs);
    if (isLate) left.requests -= burstSize(key.limit);
    const volleys = resting.includes(key) ? await restLong(key, left, restsUntilMs) : [];
    const late = isLate ? await burstLate(key, untilMs) : [];
    return { key: key.name, limit: key.limit, volleys: [...volleys, ...late], presses };
  };
  const watched = new Set([...resting, ...(overloaded === undefined ? [] : [overloaded])]);
  return Promise.all([...watched].map(watch));
}

/**
 * Of one key of each larger plan: its submissions may be limited as those of a smaller one. What
 * falls short counts where it does so again, and a burst of reads between them does not: others may
 * use the key, or its limiter bar it for a while.
 */
export async function trySubmissions(keys: readonly LimitedKey[]): Promise<readonly Watch[]> {
  const paid = keys.filter(({ limit, revocation }) => {
    return isPaid(limit) && !isDemanding(limit) && !revocation.isSeen;
  });
  const first = paid.filter((key, at) => paid.findIndex((each) => isAlike(each, key)) === at);
  const watches = await Promise.all(first.map(trySubmissionsOf));
  return watches.filter(({ volleys }) => volleys.length > 0);
}

async function trySubmissionsOf(key: LimitedKey): Promise<Watch> {
  const { name, limit } = key;
  const watch = (volleys: readonly Burst[]) => ({ key: name, limit, volleys, presses: [] });
  const restedMs = () => rest(key, LONG_REST_WINDOWS);
  const mixed = async (): Promise<Burst> => {
    return { restedMs: await restedMs(), shots: await fireMixedBurst(key), isMixed: true };
  };
  const first = await mixed();
  if (key.revocation.isSeen) return watch([]);
  if (!isShort(first, limit)) return watch([first]);
  const plain = { restedMs: await restedMs(), shots: await fireBurst(key) };
  const again = await mixed();
  const isTold = isShort(again, limit) && !isShort(plain, limit) && !key.revocation.isSeen;
  return watch(isTold ? [first, plain, again] : []);
}

/** Other scenarios may begin with their own keys by now; the load waits for those it shares. */
function isSpare(roles: KeyRoles, name: string): boolean {
  const { limited: _, overLimit: _own, loaded: _awaits, ...others } = roles;
  return !Object.values(others).flat().includes(name);
}

/** A key of longer windows still has a part of its burst to get back after the rests here. */
function isRestedInTime({ limit }: LimitedKey): boolean {
  return LONG_REST_WINDOWS * windowMs(limit) <= LONG_REST_MS;
}

function isAlike(a: LimitedKey, b: LimitedKey): boolean {
  return a.limit.sustained === b.limit.sustained && a.limit.burst === b.limit.burst;
}

/** The time that the last redelivery and the silence after it take anyway. */
function othersMs({ plan }: Context): number {
  const awaited = ["webhook.wait-3", "webhook.gives-up"] as const;
  if (!awaited.some((id) => plan.promises.includes(id))) return 0;
  return plan.times.webhookWaits.reduce((sum, { promisedMs }) => sum + promisedMs, 0);
}

/** One burst at least, and more until then as long as requests are left for them. */
async function restLong(key: LimitedKey, left: Allowance, untilMs: number): Promise<Burst[]> {
  const { plan, world, limit, random } = key;
  const bursts: Burst[] = [];
  for (;;) {
    const factor = (bursts.length + 1) % DOUBLED_EVERY === 0 ? 2 : 1;
    const restMs = factor * (LONG_REST_MS + random.next() * LONG_REST_SPREAD_MS);
    const isLate = bursts.length > 0 && world.now() + restMs > untilMs;
    const isTooMany = (burst: Burst) => isExcessive(burst, limit, plan.tolerances);
    const inDoubt = bursts.length < RESTS_IN_DOUBT && plainOf(bursts).some(isTooMany);
    if (left.requests < burstSize(limit) || (isLate && !inDoubt)) return bursts;
    const last = plainOf(bursts).at(-1);
    const count =
      burstSize(limit) * (last !== undefined && isUnrefused(last) ? UNREFUSED_FACTOR : 1);
    left.requests -= count;
    const restedMs = await restFor(key, restMs);
    const isMixed = !inDoubt && bursts.length % DOUBLED_EVERY === MIXED_AT;
    const shots = await (isMixed ? fireMixedBurst(key) : fireBurst(key, count));
    if (key.revocation.isSeen) return bursts;
    bursts.push({ restedMs, shots, ...(isMixed ? { isMixed } : {}) });
  }
}

/** Ours: two bursts of it are sent, with a long rest before each. */
function isWorthLate({ limit, world }: LimitedKey, left: Allowance, untilMs: number): boolean {
  const restsMs = 2 * (LONG_REST_MS + LONG_REST_SPREAD_MS);
  return world.now() + restsMs < untilMs && left.requests >= 2 * burstSize(limit);
}

/**
 * At the end of the watch: a limiter may have lost the key's plan after some minutes. None where
 * the bursts before, tried again in doubt, leave no time to rest.
 */
async function burstLate(key: LimitedKey, untilMs: number): Promise<readonly Burst[]> {
  const restMs = untilMs - silentFromMs(key);
  if (restMs < LONG_REST_MS) return [];
  const restedMs = await restFor(key, restMs);
  if (key.revocation.isSeen) return [];
  const shots = await fireBurst(key);
  return key.revocation.isSeen ? [] : [{ restedMs, shots }];
}

function isUnrefused({ shots }: Burst): boolean {
  return shotsWith(shots, "refused").length === 0;
}

function overloadRequests({ limit }: LimitedKey): number {
  return burstSize(limit) + (OVERLOAD_MS / 1_000) * overloadPerSecond(limit);
}

async function overloadLong(key: LimitedKey, left: Allowance, untilMs: number): Promise<Drain[]> {
  const overloads: Drain[] = [];
  const perSecond = overloadPerSecond(key.limit);
  const takes = overloadRequests(key);
  const isTime = () => key.world.now() + OVERLOAD_MS < untilMs;
  while (overloads.length < (isTime() ? OVERLOADS_MAX : OVERLOADS_MIN)) {
    if (left.requests < takes) return overloads;
    left.requests -= takes;
    const restedMs = await rest(key, LONG_REST_WINDOWS);
    const burst = { restedMs, shots: await fireBurst(key) };
    const pace = { catchUpMs: 0, jitterShare: OVERLOAD_JITTER_SHARE };
    const press = await sendEvenly(key, perSecond, OVERLOAD_MS, pace);
    if (key.revocation.isSeen) return overloads;
    overloads.push({ volley: burst, press });
  }
  return overloads;
}
