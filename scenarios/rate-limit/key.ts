/** A key whose limits are measured, and the elementary things done to it. */

import type { Exchange } from "../../contract/exchange.ts";
import { medianOf } from "../../contract/figures.ts";
import { PHASE_WINDOWS } from "../../contract/judges/rate/refill.ts";
import type { Burst, SteadyPhase } from "../../contract/judges/rate/trial.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import type { PlanName, RateLimit } from "../../contract/plans.ts";
import { isStrong, overloadPerSecond, windowMs } from "../../contract/plans.ts";
import type { RouteName } from "../../contract/routes.ts";
import type { RunPlan } from "../../contract/run-plan.ts";
import type { Call } from "../client/send.ts";
import { send } from "../client/send.ts";
import type { Random } from "../world/random.ts";
import type { World } from "../world/world.ts";
import { delayUntil } from "../world/world.ts";

/** Bucket and log are full again after one window; the rest is for clocks that tick coarsely. */
const REST_WINDOWS = 1.1;
/** A sliding window counter remembers the window before the last one as well. */
export const LONG_REST_WINDOWS = 2.3;
/** Ours: beyond the burst, enough that a bucket that refills meanwhile is empty at the end. */
const EXCESS_MIN = 6;
const EXCESS_SECONDS = 0.3;
/** Ours: after so many bursts' worth without one 429 there is no limit to reach. */
const EXHAUST_BURSTS_MAX = 3;

export interface LimitedKey {
  world: World;
  plan: RunPlan;
  random: Random;
  name: string;
  planName: PlanName;
  limit: RateLimit;
  /** Time of the key's last request. */
  lastSentMs: number;
  /** Requests so far. */
  sent: number;
  /** False where anybody may read the worker list: then no key's allowance need be spent on it. */
  listNeedsKey: boolean;
  /** Of a job that there is, so that no router turns it away; null where none is known. */
  jobId: string | null;
  /** Grows when a rest proved too short. */
  restWindows: number;
  /** When the run ends; Infinity where nothing ends it. */
  untilMs: number;
}

export function limitedKey(
  world: World,
  plan: RunPlan,
  random: Random,
  name: string,
  planName: PlanName,
  limit: RateLimit,
): LimitedKey {
  // Others may have used it until now.
  const unused = { lastSentMs: world.now(), sent: 0, restWindows: REST_WINDOWS, jobId: null };
  const open = { listNeedsKey: false, untilMs: Number.POSITIVE_INFINITY };
  return { world, plan, random, name, planName, limit, ...open, ...unused };
}

export function ask(key: LimitedKey, call: Partial<Call> = {}): Promise<Exchange> {
  key.lastSentMs = key.world.now();
  key.sent += 1;
  return send(key.world, key.plan, { method: "GET", route: "me", ...call, key: key.name });
}

/** Ours: connections that stay open between bursts; more at once would each be opened anew. */
const AT_ONCE_MAX = 1_200;

/** At once, or as fast as so many connections answer. */
export async function fire(
  key: LimitedKey,
  count: number,
  call?: Partial<Call>,
): Promise<Exchange[]> {
  if (count > AT_ONCE_MAX) return fireOn(key, { connections: AT_ONCE_MAX, count }, call);
  return Promise.all(Array.from({ length: count }, () => ask(key, call)));
}

interface Firing {
  connections: number;
  count: number;
  /** Whether that answer was enough; left out: none is. */
  isEnough?: (shot: Exchange) => boolean;
}

async function fireOn(
  key: LimitedKey,
  { connections, count, isEnough = () => false }: Firing,
  call?: Partial<Call>,
): Promise<Exchange[]> {
  const shots: Exchange[] = [];
  let left = count;
  const askInTurns = async () => {
    while (left > 0) {
      left -= 1;
      const shot = await ask(key, call);
      shots.push(shot);
      if (isEnough(shot)) left = 0;
    }
  };
  await Promise.all(Array.from({ length: connections }, askInTurns));
  return shots;
}

/** Ours: so many requests beyond its burst a key has earned again before it is held to its plan. */
const SPENDING_CONNECTIONS = 200;

/**
 * Spends a rested key's burst: at once, or, of a key that earns much meanwhile, until it is
 * refused, so that it has neither something left nor owes anything.
 */
function spendBurst(key: LimitedKey): Promise<Exchange[]> {
  const { limit } = key;
  if (!isDemanding(limit)) return fire(key, limit.burst);
  const isEnough = (shot: Exchange) => shotsWith([shot], "refused").length > 0;
  return fireOn(key, { connections: SPENDING_CONNECTIONS, count: burstSize(limit), isEnough });
}

/**
 * Leaves the key alone for as many windows, and a little, random, longer: unless told otherwise as
 * long as its limiter was seen to remember.
 */
export async function rest(key: LimitedKey, restWindows = key.restWindows): Promise<number> {
  const windows = restWindows + key.random.next() * PHASE_WINDOWS;
  return restFor(key, windows * windowMs(key.limit));
}

/** Until the key has sent nothing for so long. */
export async function restFor(key: LimitedKey, restMs: number): Promise<number> {
  await delayUntil(key.world, key.lastSentMs + restMs);
  return key.world.now() - key.lastSentMs;
}

/**
 * Requests that one virtual user sends in a second. Ours: 3,664 were reached alone on two cores;
 * so many beside a service that shares them.
 */
const PER_SECOND = 2_500;
/** Ours: larger bursts take so long that the key earns more meanwhile than is sent beyond it. */
const PROMPT_BURST_MAX = 1_200;
/** Ours: some hundred thousand requests of a trial are what a virtual user can remember. */
const BURST_MAX = 15_000;

/** So many that a key which earns its rate meanwhile is refused some. */
export function burstSize({ sustained, burst }: RateLimit): number {
  const prompt = burst + Math.max(EXCESS_MIN, Math.ceil(sustained * EXCESS_SECONDS));
  if (prompt <= PROMPT_BURST_MAX) return prompt;
  const net = Math.max(1, PER_SECOND - sustained);
  return Math.max(prompt, Math.ceil((burst * PER_SECOND) / net) + EXCESS_MIN);
}

/** Whether it takes all that a virtual user can send, so that it is measured alone. */
export function isDemanding(limit: RateLimit): boolean {
  return isStrong(limit) || burstSize(limit) > PROMPT_BURST_MAX;
}

/** Whether a burst on the key is one, and an overload can exceed its plan. */
export function isInReach(limit: RateLimit): boolean {
  return overloadPerSecond(limit) <= PER_SECOND && burstSize(limit) <= BURST_MAX;
}

/** A burst after a rest; when it falls short, once more after a longer rest, which then counts. */
export async function restedBurst(key: LimitedKey): Promise<Burst> {
  const restedMs = await rest(key);
  const burst = { restedMs, shots: await fire(key, burstSize(key.limit)) };
  if (!isShort(burst, key.limit) || key.restWindows >= LONG_REST_WINDOWS) return burst;
  key.restWindows = LONG_REST_WINDOWS;
  return restedBurst(key);
}

function isShort(burst: Burst, limit: RateLimit): boolean {
  return burst.shots.length - shotsWith(burst.shots, "refused").length < limit.burst;
}

/** Fires until a request is refused, twice as many each round; returns what was fired anyway. */
export async function exhaust(key: LimitedKey, step: number): Promise<Exchange[]> {
  const shots: Exchange[] = [];
  const most = burstSize(key.limit) * EXHAUST_BURSTS_MAX;
  for (let count = step; shots.length < most; count *= 2) {
    shots.push(...(await fire(key, Math.min(count, burstSize(key.limit)))));
    if (shotsWith(shots, "refused").length > 0) break;
  }
  return shots;
}

/** Ours: a slower exhaustion is hopeless, as the key earns as much meanwhile as it spends. */
const IN_TURN_WINDOWS = 0.5;

/** Ours: where one connection is too slow for that, a few are still fewer than come after them. */
const CONNECTIONS_IN_TURN = [1, 4];
/** Ours: to spend a burst in half a window takes three times the rate; a little more is sure. */
const SPEND_FACTOR = 4;
/** Ours: the more ask at once, the longer each waits for its answers; that is seen only then. */
const ROUNDS_BY_PACE = 3;

interface InTurn {
  shots: readonly Exchange[];
  /** How many asked at once. */
  connections: number;
}

/**
 * Asks on one connection, or else on a few, one at a time on each, until a request is refused. On
 * a long way it takes as many as its round trips keep waiting.
 */
export async function exhaustInTurn(key: LimitedKey): Promise<InTurn> {
  let found: InTurn = { shots: [], connections: 0 };
  const tryWith = async (connections: number): Promise<boolean> => {
    const each = Array.from({ length: connections }, () => askInTurn(key));
    found = { shots: (await Promise.all(each)).flat(), connections };
    return shotsWith(found.shots, "refused").length > 0;
  };
  for (const connections of CONNECTIONS_IN_TURN) if (await tryWith(connections)) return found;
  for (let round = 0; round < ROUNDS_BY_PACE; round++) {
    const perConnection = 1_000 / Math.max(1, usualMs(found.shots));
    const needed = Math.ceil((SPEND_FACTOR * key.limit.sustained) / perConnection);
    if (await tryWith(Math.max(needed, found.connections + 1))) return found;
  }
  return { ...found, shots: [] };
}

/** How long a request usually takes, in ms. */
function usualMs(shots: readonly Exchange[]): number {
  return medianOf(shots.map((shot) => shot.receivedAtMs - shot.sentAtMs));
}

async function askInTurn(key: LimitedKey): Promise<Exchange[]> {
  const shots: Exchange[] = [];
  const endMs = key.world.now() + IN_TURN_WINDOWS * windowMs(key.limit);
  const most = burstSize(key.limit) * EXHAUST_BURSTS_MAX;
  while (shots.length < most && key.world.now() < endMs) {
    const shot = await ask(key);
    shots.push(shot);
    if (shot.status === 429) break;
  }
  return shots;
}

/** Ours: requests on each other endpoint while the key is exhausted. */
const PER_ENDPOINT_MIN = 6;
const PER_ENDPOINT_SECONDS = 0.06;

/** More than a key can earn while these requests are under way. */
export function elsewhereCount(limit: RateLimit): number {
  return Math.max(PER_ENDPOINT_MIN, Math.ceil(limit.sustained * PER_ENDPOINT_SECONDS));
}

/** Asks other endpoints at once; reads only. */
export function askElsewhere(key: LimitedKey): Promise<Exchange[]> {
  const count = elsewhereCount(key.limit);
  const routes: { route: RouteName; parameter?: string }[] = [
    { route: "credits" },
    { route: "deployments" },
    { route: "jobs" },
    ...idsOf(key),
    ...(key.listNeedsKey ? [{ route: "workers" as const }] : []),
  ];
  const calls = Array.from({ length: count }, () => routes).flat();
  return Promise.all(calls.map((call) => ask(key, call)));
}

/** What there is a known worker and a known job for. */
function idsOf({ plan, jobId }: LimitedKey): { route: RouteName; parameter: string }[] {
  const worker = plan.workers.success?.id ?? Object.values(plan.workers)[0]?.id;
  return [
    ...(worker === undefined ? [] : [{ route: "worker" as const, parameter: worker }]),
    ...(jobId === null ? [] : [{ route: "job" as const, parameter: jobId }]),
  ];
}

/** How requests are spaced; lateness of up to `catchUpMs` is made good. */
interface Schedule {
  catchUpMs: number;
  jitterShare: number;
  /** Asked at the end, with the answers so far: whether to go on for as long again. */
  goesOn?: (answered: readonly Exchange[]) => boolean;
}

/**
 * Evenly spaced requests on an absolute schedule. What is later than may be caught up stays late,
 * so that a generator that stalls never sends a bunch that the plan does not allow.
 */
export async function sendEvenly(
  key: LimitedKey,
  perSecond: number,
  durationMs: number,
  { catchUpMs, jitterShare, goesOn = () => false }: Schedule,
): Promise<Exchange[]> {
  const { world } = key;
  const spacingMs = 1_000 / perSecond;
  const answered: Exchange[] = [];
  const pending: Promise<number>[] = [];
  let endMs = world.now() + durationMs;
  let dueMs = world.now();
  while (dueMs < endMs) {
    await delayUntil(world, dueMs);
    pending.push(ask(key).then((shot) => answered.push(shot)));
    const base = Math.max(dueMs, world.now() - catchUpMs);
    dueMs = base + spacingMs * (1 + jitterShare * (key.random.next() - 0.5));
    if (dueMs >= endMs && goesOn(answered)) endMs += durationMs;
  }
  await Promise.all(pending);
  return answered;
}

/** Ours: a limiter that remembers for longer is not given time to forget a whole burst. */
const FORGETTING_MS_MAX = 15_000;

/** Even requests at such a pace for so long, after a burst that was spent and is forgotten. */
export interface Even {
  perSecond: number;
  steadyMs: number;
  catchUpMs: number;
}

/**
 * From a rest on, spends the burst at once and goes on evenly: nothing that was saved up is left to
 * make good a rate that is too low.
 */
export async function stayEven(key: LimitedKey, even: Even): Promise<SteadyPhase> {
  const { world, limit } = key;
  const forgettingMs = LONG_REST_WINDOWS * windowMs(limit);
  if (forgettingMs > FORGETTING_MS_MAX) return stayEvenFromRest(key, even);
  await rest(key, LONG_REST_WINDOWS);
  const spent = await spendBurst(key);
  const steadyFromMs = world.now() + forgettingMs;
  const durationMs = steadyFromMs - world.now() + even.steadyMs;
  const steadyPhase = await sentEvenly(key, even, durationMs);
  return { ...steadyPhase, shots: [...spent, ...steadyPhase.shots], steadyFromMs };
}

/** The burst stays saved up, so that a limiter that counts refused requests has none to count. */
export async function stayEvenFromRest(key: LimitedKey, even: Even): Promise<SteadyPhase> {
  await rest(key, LONG_REST_WINDOWS);
  return { ...(await sentEvenly(key, even, even.steadyMs)), savedUp: key.limit.burst };
}

async function sentEvenly(
  key: LimitedKey,
  { perSecond, catchUpMs }: Even,
  durationMs: number,
): Promise<SteadyPhase> {
  const shots = await sendEvenly(key, perSecond, durationMs, { catchUpMs, jitterShare: 0 });
  return { offeredPerSecond: perSecond, shots };
}
