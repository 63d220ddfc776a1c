/**
 * The protocol by which one key's limits are measured, from the first burst to the last answer.
 */

import { ENDPOINT_TRIALS_MIN } from "../../contract/judges/rate/all-endpoints.ts";
import { mayBeOpenSteps } from "../../contract/judges/rate/burst.ts";
import type { LimiterEstimate } from "../../contract/judges/rate/estimate.ts";
import { estimateLimiter } from "../../contract/judges/rate/estimate.ts";
import { measured } from "../../contract/judges/rate/measured.ts";
import type { Refill } from "../../contract/judges/rate/refill.ts";
import { sustainedClaim } from "../../contract/judges/rate/sustained.ts";
import type {
  Burst,
  Drain,
  EndpointTrial,
  KeyTrial,
  Return,
} from "../../contract/judges/rate/trial.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import { waitingLine } from "../../contract/judges/rate/waiting-line.ts";
import { decide } from "../../contract/judging/decide.ts";
import { overloadPerSecond, windowMs } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { askAtJob, askElsewhere, beyondEarned, elsewhereCount, restedBurst } from "./bursts.ts";
import { exhaust, exhaustInTurn } from "./exhaust.ts";
import type { LimitedKey } from "./key.ts";
import {
  burstSize,
  hasTimeToSubmit,
  isDemanding,
  LONG_REST_WINDOWS,
  rest,
  restFor,
  timeLeftMs,
} from "./key.ts";
import { returnAfterThese, returnAsTold } from "./returns.ts";
import { fire, sendEvenly } from "./sending.ts";
import { hasTime, IN_DOUBT, OVERLOAD_CATCH_UP_MS, stayAround, stayBelow } from "./steady.ts";

const OVERLOAD_JITTER_SHARE = 0.5;
/** Long enough for sixty admissions at 10/s and for three windows to roll over. */
const OVERLOAD_MS_MIN = 6_000;
const OVERLOAD_WINDOWS = 3.2;
const OVERLOAD_MS_MAX = 40_000;
/** Ours: so little overload takes that long to exceed what windows admit at their edges. */
const STRONG_OVERLOAD_WINDOWS = 9;
/** Which parts of the protocol a run needs. */
export interface TrialParts {
  drain: boolean;
  endpoints: boolean;
  returns: boolean;
  below: boolean;
}

/** What the isolation stage did to the key already. */
export interface Opening {
  bursts: readonly Burst[];
  endpoints: readonly EndpointTrial[];
}

const NOT_OVERLOADED: Overloaded = { drain: null, limiter: null };

/** Of a key whose excess waits for its turn: nothing that takes a refusal to begin with. */
const WITHOUT_REFUSALS = { endpoints: false, returns: false } as const;

export async function runTrial(
  key: LimitedKey,
  asked: TrialParts,
  opening: Opening,
): Promise<KeyTrial> {
  const bursts = [...opening.bursts];
  const endpoints = [...opening.endpoints];
  while (bursts.length < 2) {
    const burst = await restedBurst(key);
    bursts.push(burst);
    if (asked.endpoints) endpoints.push(await elsewhereAfter(key, burst.shots));
  }
  // Keys are overloaded at times of their own, so that no clock that they share hides a window.
  await key.world.delay(key.random.next() * windowMs(key.limit));
  const last = await restedBurst(key);
  bursts.push(last);
  const { drain, limiter } = asked.drain ? await drainFrom(key, last) : NOT_OVERLOADED;
  const isLine = drain !== null && waitingLine(drain, key.limit) !== null;
  const parts = isLine ? { ...asked, ...WITHOUT_REFUSALS } : asked;
  if (isLine) await outlastLine(key, drain);
  else await burstUntilTold(key, bursts, drain);
  if (parts.endpoints) {
    const exhaustedBy = drain === null ? last.shots : await exhaust(key);
    endpoints.push(await elsewhereAfter(key, exhaustedBy));
    await untilTold(key, endpoints, async () => elsewhereAfter(key, await exhaust(key)));
    endpoints.push(...(await elsewhereAmidSteps(key, limiter?.refill ?? null)));
    endpoints.push(...(await otherConnections(key)));
  }
  const trial = {
    key: key.name,
    plan: key.planName,
    limit: key.limit,
    // Of a key that was revoked meanwhile, nothing is asked any more.
    volleys: bursts.filter(({ shots }) => shots.length > 0),
    drain,
    endpoints,
  };
  const { returns, declined, submissions } = parts.returns
    ? await returnAsTold(key, limiter)
    : { returns: [], declined: [], submissions: [] };
  const below = parts.below ? await stayBelow(key, limiter) : null;
  return { ...trial, returns, waitsDeclined: declined, below, submissions };
}

/** What its client gave up may wait for its turn all the same. */
async function outlastLine(key: LimitedKey, { press }: Drain): Promise<void> {
  const left = shotsWith(press, "failed").length;
  const lineMs = (left / key.limit.sustained) * 1_000;
  await restFor(key, Math.min(lineMs, timeLeftMs(key)));
}

/** A burst that took so long that the key earned what it spent is followed by more. */
export async function elsewhereAfter(
  key: LimitedKey,
  burst: readonly Exchange[],
  more = 0,
): Promise<EndpointTrial> {
  const isExhausted = shotsWith(burst, "refused").length > 0;
  const exhaustedBy = isExhausted ? burst : await exhaust(key);
  return { exhaustedBy, shots: await askElsewhere(key, exhaustedBy, more) };
}

/** Ours: of a key that can be exhausted at all, a busy machine fails every other time. */
const ROUNDS_MAX = 2 * ENDPOINT_TRIALS_MIN;

/**
 * Rounds until enough of them tell something. One that took so long that the key earned what it
 * spent is followed by another, unless none of them exhausts it.
 */
async function untilTold(
  key: LimitedKey,
  tried: EndpointTrial[],
  round: () => Promise<EndpointTrial>,
): Promise<void> {
  const goesOn = () => {
    const told = tried.filter(({ exhaustedBy }) => shotsWith(exhaustedBy, "refused").length > 0);
    const most = told.length === 0 ? ENDPOINT_TRIALS_MIN : ROUNDS_MAX;
    const isEnough = told.length >= ENDPOINT_TRIALS_MIN || tried.length >= most;
    return !isEnough && hasTimeToSubmit(key) && !key.revocation.isSeen;
  };
  while (goesOn()) tried.push(await round());
}

/** Ours: of steps that come each 60 ms, none is in all of so many bursts of 20 ms. */
const BURSTS_MAX = 9;

/**
 * Where refused requests count, an overload tells nothing of how the limiter refills: bursts that
 * are all too long are more in number, until no step can have come in each of them.
 */
async function burstUntilTold(key: LimitedKey, bursts: Burst[], drain: Drain | null) {
  const { name, planName: plan, limit } = key;
  const nothingElse = { returns: [], waitsDeclined: [], below: null, endpoints: [] };
  const seen = { key: name, plan, limit, drain, submissions: [], ...nothingElse };
  const { tolerances } = key.plan;
  const isOpen = () =>
    mayBeOpenSteps(measured({ ...seen, volleys: bursts }, tolerances), tolerances);
  while (bursts.length < BURSTS_MAX && hasTime(key) && isOpen()) {
    await rest(key, LONG_REST_WINDOWS);
    bursts.push(await restedBurst(key));
  }
}

/** Ours: of larger steps one is as good as sure to miss one of the trials. */
const STEP_MAX = 20;

/**
 * A bucket that is refilled in steps gives back more at once than is asked for elsewhere: it takes
 * more, or trials at so many phases that no step has come in all of them.
 */
async function elsewhereAmidSteps(
  key: LimitedKey,
  refill: Refill | null,
): Promise<EndpointTrial[]> {
  const trials: EndpointTrial[] = [];
  if (refill === null) return trials;
  for (let round = 0; round < ENDPOINT_TRIALS_MIN && timeLeftMs(key) > 0; round++) {
    await key.world.delay(key.random.next() * Math.max(refill.everyMs, windowMs(key.limit) / 2));
    const more = Math.min(STEP_MAX, Math.ceil(refill.size));
    trials.push(await elsewhereAfter(key, await exhaust(key), more));
  }
  return trials;
}

/**
 * One connection asks until it is refused, then many at once: theirs is no allowance of its own.
 */
async function otherConnections(key: LimitedKey): Promise<EndpointTrial[]> {
  const trials: EndpointTrial[] = [];
  await untilTold(key, trials, async () => {
    // Unless it is left to chance, a window of the limiter begins at one phase in each round.
    if (trials.length > 0) await key.world.delay(key.random.next() * windowMs(key.limit));
    const { shots: exhaustedBy, connections } = await exhaustInTurn(key);
    const others = Math.max(beyondEarned(key, exhaustedBy), connections) * 2;
    return { exhaustedBy, shots: await fire(key, others) };
  });
  return trials;
}

/** Ours: of a burst that took long, more than the key earned since its last refusal was sent. */
const AT_JOB_FACTOR = 3;

/**
 * The same on a job's own path, where an identifier is known only when all else was tried. Refused
 * reads and cancels tell by turns when the key may come back.
 */
export async function tryJobPath(
  key: LimitedKey,
  parameter: string,
): Promise<Pick<KeyTrial, "endpoints" | "returns">> {
  const endpoints: EndpointTrial[] = [];
  const returns: Return[] = [];
  await untilTold(key, endpoints, async () => {
    await key.world.delay(key.random.next() * windowMs(key.limit));
    const exhaustedBy = await exhaust(key, burstSize(key.limit));
    const count =
      STEP_MAX +
      Math.max(elsewhereCount(key.limit) * AT_JOB_FACTOR, beyondEarned(key, exhaustedBy));
    const { shots, beside } = await askAtJob(key, parameter, count);
    const isRead = ({ method }: Exchange) => method === "GET";
    const [reads, cancels] = [shots.filter(isRead), shots.filter((shot) => !isRead(shot))];
    const [others, these] = endpoints.length % 2 === 0 ? [reads, cancels] : [cancels, reads];
    // The profile quick has no time for these waits.
    if (key.plan.profile !== "quick") {
      const before = [...exhaustedBy, ...others, ...beside];
      returns.push(...(await returnAfterThese(key, before, these)));
    }
    return { exhaustedBy, shots };
  });
  return { endpoints, returns };
}

/** An overload, and what it tells of the limiter. */
interface Overloaded {
  drain: Drain | null;
  limiter: LimiterEstimate | null;
}

async function drainFrom(key: LimitedKey, burst: Burst): Promise<Overloaded> {
  const { limit, plan } = key;
  const windows =
    (isDemanding(limit) ? STRONG_OVERLOAD_WINDOWS : OVERLOAD_WINDOWS) * windowMs(limit);
  const durationMs = Math.min(OVERLOAD_MS_MAX, Math.max(OVERLOAD_MS_MIN, windows));
  const seenBy = (overload: readonly Exchange[]) => {
    const drain = { volley: burst, press: overload };
    const seen = { key: key.name, limit, drain, limiter: estimateLimiter(drain, limit) };
    const { verdict } = decide(sustainedClaim([{ ...seen, excess: null }], plan.tolerances));
    const { sustained } = seen.limiter;
    const isLow = verdict === "broken" && sustained !== null && sustained.high < limit.sustained;
    return { ...seen, isInDoubt: verdict === IN_DOUBT, isLow };
  };
  const isTold = (overload: readonly Exchange[], even: NonNullable<Drain["even"]>) => {
    const { drain, ...seen } = seenBy(overload);
    const tried = { ...seen, drain: { ...drain, even }, excess: null };
    return decide(sustainedClaim([tried], plan.tolerances)).verdict !== IN_DOUBT;
  };
  const isWorthMore = (overload: readonly Exchange[]) => {
    const { limiter, isInDoubt } = seenBy(overload);
    return isInDoubt && !limiter.starved;
  };
  const startMs = key.world.now();
  const overload = await sendEvenly(key, overloadPerSecond(limit), durationMs, {
    catchUpMs: OVERLOAD_CATCH_UP_MS,
    jitterShare: OVERLOAD_JITTER_SHARE,
    goesOn: (sofar) =>
      key.world.now() - startMs + durationMs <= OVERLOAD_MS_MAX && isWorthMore(sofar),
  });
  if (key.revocation.isSeen) return NOT_OVERLOADED;
  const { drain, limiter, isInDoubt, isLow } = seenBy(overload);
  // A limiter that counts refusals admits less of an overload than of what is within the plan.
  const isOpen = isLow || (isInDoubt && shotsWith(overload, "refused").length > 0);
  const isToBeTold = isOpen && hasTime(key);
  const even = isToBeTold
    ? { even: await stayAround(key, limiter, (even) => isTold(overload, even)) }
    : {};
  return { drain: key.revocation.isSeen ? drain : { ...drain, ...even }, limiter };
}
