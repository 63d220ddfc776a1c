/** A key whose limits are measured: what it asks, how it rests, and what its size demands. */

import { toldWaitMs } from "../../contract/answers/retry-after.ts";
import { PHASE_WINDOWS } from "../../contract/judges/rate/refill.ts";
import type { PlanName, RateLimit } from "../../contract/plans.ts";
import { isStrong, overloadPerSecond, windowMs } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import { Revocation } from "../client/revocation.ts";
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

export interface LimitedKey {
  world: World;
  plan: RunPlan;
  random: Random;
  name: string;
  planName: PlanName;
  limit: RateLimit;
  /** Time of the key's last request. */
  lastSentMs: number;
  /** Time of its last answer, or failure: until then a request may have been on its way. */
  lastAnsweredMs: number;
  /** When what was refused last was sent: it had nothing left. -Infinity: none was refused. */
  emptyAtMs: number;
  /** Requests so far. */
  sent: number;
  /** False where anybody may read the worker list: then no key's allowance need be spent on it. */
  listNeedsKey: boolean;
  /** Of a job that there is, so that no router turns it away; null where none is known. */
  jobId: string | null;
  /** Grows when a rest proved too short. */
  restWindows: number;
  /** Until then it was told to wait, by what refused it so far; a wait that is long is left out. */
  toldUntilMs: number;
  /** Whether it is left alone until then: the limiter was seen to bar a key for as long as told. */
  keepsWaits: boolean;
  /** When the run ends; Infinity where nothing ends it. */
  untilMs: number;
  /** Once it is seen, nothing more is sent but single requests. */
  revocation: Revocation;
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
  const used = { lastSentMs: world.now(), lastAnsweredMs: world.now(), emptyAtMs: -Infinity };
  const unused = { ...used, sent: 0, restWindows: REST_WINDOWS, jobId: null };
  const open = { listNeedsKey: false, toldUntilMs: 0, keepsWaits: false, untilMs: Infinity };
  const revocation = new Revocation();
  return { world, plan, random, name, planName, limit, revocation, ...open, ...unused };
}

/** Ours: submissions on an exhausted key, with their rests, come after the keys' own trials. */
const AFTERWARDS_MS = 30_000;

/** How long the key's own trial may go on, so that what comes after it has its time. */
export function timeLeftMs({ world, untilMs }: LimitedKey): number {
  return untilMs - world.now() - AFTERWARDS_MS;
}

/** Whether there is time for a round of submissions on the exhausted key. */
export function hasTimeToSubmit(key: LimitedKey): boolean {
  return timeLeftMs(key) >= 0;
}

export async function ask(key: LimitedKey, call: Partial<Call> = {}): Promise<Exchange> {
  key.lastSentMs = key.world.now();
  key.sent += 1;
  const asked = { method: "GET", route: "me", ...call, key: key.name } as const;
  const exchange = await send(key.world, key.plan, asked);
  answered(key, exchange);
  return exchange;
}

/** Ours: a longer Retry-After is not waited for. */
export const WAIT_MS_MAX = 12_000;

/** Notes what an answer says of the key. */
export function answered(key: LimitedKey, exchange: Exchange): void {
  key.revocation.answered(exchange);
  key.lastAnsweredMs = Math.max(key.lastAnsweredMs, exchange.receivedAtMs);
  if (exchange.status !== 429) return;
  key.emptyAtMs = Math.max(key.emptyAtMs, exchange.sentAtMs);
  const waitMs = toldWaitMs(exchange, 0);
  if (waitMs > WAIT_MS_MAX) return;
  key.toldUntilMs = Math.max(key.toldUntilMs, exchange.receivedAtMs + waitMs);
}

/**
 * Leaves the key alone for as many windows, and a little, random, longer: unless told otherwise as
 * long as its limiter was seen to remember.
 */
export async function rest(key: LimitedKey, restWindows = key.restWindows): Promise<number> {
  const windows = restWindows + key.random.next() * PHASE_WINDOWS;
  return restFor(key, windows * windowMs(key.limit));
}

/** The clock shows whole milliseconds: one more makes sure that a wait was not cut short. */
export const CLOCK_TICK_MS = 1;

/** From when on nothing of the key can have come to its limiter. */
export function silentFromMs({ lastSentMs, lastAnsweredMs }: LimitedKey): number {
  return Math.max(lastSentMs, lastAnsweredMs);
}

/**
 * Until nothing of the key can have come to its limiter for so long; at once where it is a key no
 * longer. Gives the time since it sent something.
 */
export async function restFor(key: LimitedKey, restMs: number): Promise<number> {
  const barredUntilMs = key.keepsWaits ? key.toldUntilMs + CLOCK_TICK_MS : 0;
  const untilMs = Math.max(silentFromMs(key) + restMs, barredUntilMs);
  if (!key.revocation.isSeen) await delayUntil(key.world, untilMs);
  key.revocation.rested();
  return key.world.now() - key.lastSentMs;
}

/**
 * Requests a second of a generator, and a burst, for which the scenario is made. Ours: a virtual
 * user alone on two cores sent 12,000 a second to a service beside it.
 */
const PER_SECOND_MAX = 6_000;
const BURST_MAX = 15_000;
/** Ours: larger bursts take so long that the key earns more meanwhile than is sent beyond it. */
const PROMPT_BURST_MAX = 1_200;
/** Ours: a burst that is spent half as fast again as its key earns is spent by then. */
const DEMANDING_BURSTS = 3;

/** The most that it takes to spend a burst, and a little, of a key that earns meanwhile. */
export function burstSize({ sustained, burst }: RateLimit): number {
  const prompt = burst + excessOf({ sustained });
  return prompt <= PROMPT_BURST_MAX ? prompt : Math.max(prompt, burst * DEMANDING_BURSTS);
}

/** So many beyond a burst that a key which earns its rate meanwhile is refused some. */
export function excessOf({ sustained }: Pick<RateLimit, "sustained">): number {
  return Math.max(EXCESS_MIN, Math.ceil(sustained * EXCESS_SECONDS));
}

/** Whether it takes all that a virtual user can send, so that it is measured alone. */
export function isDemanding(limit: RateLimit): boolean {
  return isStrong(limit) || limit.burst + excessOf(limit) > PROMPT_BURST_MAX;
}

/** Whether a burst on the key is one, and an overload can exceed its plan. */
export function isInReach(limit: RateLimit): boolean {
  return overloadPerSecond(limit) <= PER_SECOND_MAX && limit.burst <= BURST_MAX;
}
