/** What is done to a key elementarily: bursts, requests elsewhere, steady phases. */

import type { Burst, SteadyPhase } from "../../contract/judges/rate/trial.ts";
import { shotsWith } from "../../contract/judges/rate/trial.ts";
import { mostOf } from "../../contract/numbers/extremes.ts";
import type { RateLimit } from "../../contract/plans.ts";
import { windowMs } from "../../contract/plans.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import { cancelCall, cancelCandidates } from "../client/cancel-request.ts";
import { madeUpJobId, madeUpWorkerId } from "../client/inputs/made-up.ts";
import type { Call } from "../client/send.ts";
import { usualMs } from "./exhaust.ts";
import type { LimitedKey } from "./key.ts";
import { ask, burstSize, isDemanding, LONG_REST_WINDOWS, rest } from "./key.ts";
import type { CallAt } from "./sending.ts";
import { fire, fireBurst, fireUntilRefused, sendEvenly, withoutLongBody } from "./sending.ts";

/**
 * A burst after a rest; when it falls short, once more after a longer rest, which then counts: one
 * that is over only when the key may come back, by what it was told.
 */
export async function restedBurst(key: LimitedKey): Promise<Burst> {
  const restedMs = await rest(key);
  const isBarred = key.world.now() <= key.toldUntilMs;
  const burst = { restedMs, shots: await fireBurst(key) };
  if (!isShort(burst, key.limit)) return burst;
  if (isBarred && !key.keepsWaits) {
    key.keepsWaits = true;
    return restedBurst(key);
  }
  if (key.restWindows >= LONG_REST_WINDOWS) return burst;
  key.restWindows = LONG_REST_WINDOWS;
  return restedBurst(key);
}

export function isShort(burst: Burst, limit: RateLimit): boolean {
  return burst.shots.length - shotsWith(burst.shots, "refused").length < limit.burst;
}

/** Ours: requests on each other endpoint while the key is exhausted. */
const PER_ENDPOINT_MIN = 6;
const PER_ENDPOINT_SECONDS = 0.06;

/** More than a key can earn while these requests are under way. */
export function elsewhereCount(limit: RateLimit): number {
  return Math.max(PER_ENDPOINT_MIN, Math.ceil(limit.sustained * PER_ENDPOINT_SECONDS));
}

/** Ours: what a window's edge lets in, and some more that tell. */
const BEYOND_EARNED = 5;

/**
 * So many at once that the key can't have earned all of them: it earns, up to a burst, from the
 * sending of its last refusal, which may have been held back, to the answers.
 */
export function beyondEarned({ limit, world }: LimitedKey, exhaustedBy: readonly Exchange[]) {
  const refused = shotsWith(exhaustedBy, "refused");
  if (refused.length === 0) return elsewhereCount(limit);
  const emptyMs = mostOf(refused.map(({ sentAtMs }) => sentAtMs));
  const answeredMs = world.now() + usualMs(shotsWith(exhaustedBy, "admitted"));
  const earned = Math.min(limit.burst, ((answeredMs - emptyMs) / 1_000) * limit.sustained);
  return Math.max(elsewhereCount(limit), Math.ceil(earned) + BEYOND_EARNED);
}

/**
 * Asks other endpoints at once: reads, cancels of a job that there is not, and publications of such
 * a worker; of each more than the key can have earned, and so many more.
 */
export async function askElsewhere(
  key: LimitedKey,
  exhaustedBy: readonly Exchange[],
  more: number,
): Promise<readonly Exchange[]> {
  const count = beyondEarned(key, exhaustedBy) + more;
  const calls = Array.from({ length: count }, () => callsElsewhere(key)).flat();
  return (await askAll(key, calls)).shots;
}

/** Asks for a job that there is, and cancels one that there is not, all at once. */
export async function askAtJob(
  key: LimitedKey,
  jobId: string,
  count: number,
): Promise<AskedAtOnce> {
  const routes = [{ route: "job", parameter: jobId } as const, ...cancelOf(key, jobId)];
  const calls = routes.flatMap((call) => Array.from({ length: count }, () => call));
  return askAll(key, calls, jobId);
}

/**
 * Ours: reads that show whether a service looks for a thing before it looks at the limit; one or
 * two of them may meet what the key has earned.
 */
const LOOKS = 3;
/** A router may know no such method, and say so before anybody looks at the key. */
const NO_METHOD = [405, 501];

/** `beside`: what was on the way with the telling ones; it may have been admitted after them. */
interface AskedAtOnce {
  shots: readonly Exchange[];
  beside: readonly Exchange[];
}

/** All at once. Where a service looks for things first, that it finds none tells nothing. */
async function askAll(
  key: LimitedKey,
  calls: readonly Partial<Call>[],
  jobId = key.jobId,
): Promise<AskedAtOnce> {
  const asked = Promise.all(calls.map((call) => ask(key, call)));
  const looking = missingThings(key, jobId).map(async ({ read, routes }) => {
    return { routes, shots: await fire(key, LOOKS, read) };
  });
  const [answers, looks] = await Promise.all([asked, Promise.all(looking)]);
  const lookedFor = looks.flatMap(({ routes, shots }) => (shots.every(isNotFound) ? routes : []));
  const isTelling = (shot: Exchange) => {
    const isUntold = isNotFound(shot) && lookedFor.includes(shot.route);
    return !isUntold && !NO_METHOD.includes(shot.status);
  };
  const untold = answers.filter((shot) => !isTelling(shot));
  return {
    shots: answers.filter(isTelling),
    beside: [...untold, ...looks.flatMap(({ shots }) => shots)],
  };
}

function isNotFound({ status }: Exchange): boolean {
  return status === 404;
}

/** A read of what there is not, and the routes on which such things, or others' ones, are asked. */
interface MissingThing {
  read: Partial<Call>;
  routes: readonly RouteName[];
}

function missingThings({ plan, random }: LimitedKey, jobId: string | null): MissingThing[] {
  const things: MissingThing[] = [];
  if (jobId !== null) {
    const read = { route: "job", parameter: madeUpJobId(random, jobId) } as const;
    things.push({ read, routes: ["job"] });
  }
  if (plan.publish !== null) {
    const parameter = madeUpWorkerId(random, plan.publish.worker);
    things.push({ read: { route: "worker", parameter }, routes: ["publish"] });
  }
  return things;
}

/** Of a job that was never issued, in the form of one that was: nobody's job is cancelled. */
function cancelOf({ plan, random }: LimitedKey, jobId: string | null): readonly Partial<Call>[] {
  const [first, ...others] = cancelCandidates(plan);
  if (first === undefined || others.length > 0 || jobId === null) return [];
  const { key: _, ...call } = cancelCall(first, madeUpJobId(random, jobId), null);
  return [call];
}

/** Of a worker that does not exist: nothing is published. A large plan takes many of each. */
function publicationOf({ plan, random, limit }: LimitedKey): readonly Partial<Call>[] {
  if (plan.publish === null || isDemanding(limit)) return [];
  const parameter = madeUpWorkerId(random, plan.publish.worker);
  return [{ method: "POST", route: "publish", parameter, body: "{}" }];
}

/** All that may be read; of no job that is known, one that there is not. */
function allReads(key: LimitedKey): readonly Partial<Call>[] {
  const jobId = key.jobId ?? madeUpJobId(key.random, null);
  return [{ route: "me" }, ...readsElsewhere({ ...key, jobId })];
}

/** One of each that may be asked beside GET /v1/me. */
export function callsElsewhere(key: LimitedKey): readonly Partial<Call>[] {
  return [...readsElsewhere(key), ...cancelOf(key, key.jobId), ...publicationOf(key)];
}

/** All that may be read beside GET /v1/me. */
function readsElsewhere(key: LimitedKey): readonly Partial<Call>[] {
  return [
    { route: "jobs" },
    { route: "credits" },
    { route: "deployments" },
    ...idsOf(key),
    ...(key.listNeedsKey ? [{ route: "workers" as const }] : []),
  ];
}

/** What there is a known worker and a known job for. */
function idsOf({ plan, jobId }: LimitedKey): readonly Partial<Call>[] {
  const worker = plan.workers.success?.id ?? Object.values(plan.workers)[0]?.id;
  return [
    ...(worker === undefined ? [] : [{ route: "worker" as const, parameter: worker }]),
    ...(jobId === null ? [] : [{ route: "job" as const, parameter: jobId }]),
  ];
}

/** Ours: a limiter that remembers for longer is not given time to forget a whole burst. */
const FORGETTING_MS_MAX = 15_000;

/** Even requests at such a pace for so long, after a burst that was spent and is forgotten. */
export interface Even {
  perSecond: number;
  steadyMs: number;
  catchUpMs: number;
  /** Whether they ask all that a key may be asked, in turn; left out: GET /v1/me alone. */
  isMixed?: boolean;
  /** It ends once this machine was late by such a share of it; left out: it never does. */
  lostShareMax?: number | undefined;
}

/** Ours: with more a second the lists among them would be a load of their own. */
const MIXED_PER_SECOND_MAX = 100;
/** Ours: of a larger burst more comes back before than so few submissions take twice. */
const SUBMITTED_BURST_MAX = 30;
/** Ours: more than a limit of their own lets pass at this pace that is half of the key's. */
const SUBMISSIONS = 24;

/**
 * Reads of all endpoints in turn and cancels of no job, as none of them takes more of an allowance
 * than another; of a small plan also submissions, to a worker that does not exist, once the burst
 * is forgotten.
 */
function mixedCalls(key: LimitedKey, { perSecond }: Even, forgettingMs: number): CallAt {
  if (perSecond > MIXED_PER_SECOND_MAX) return () => undefined;
  const calls = [...allReads(key), ...cancelOf(key, key.jobId ?? madeUpJobId(key.random, null))];
  const firstSubmitted = Math.ceil((forgettingMs / 1_000) * perSecond) + 1;
  const count = isPaid(key.limit) ? 0 : SUBMISSIONS;
  const submission = submissionToNobody(key);
  return (before) => {
    const isSubmitted = before >= firstSubmitted && before < firstSubmitted + count;
    return isSubmitted ? submission : calls[before % calls.length];
  };
}

/** Ours: of a burst that is short by so many, no earning makes that good meanwhile. */
const SUBMITTED_AT_ONCE = 4;
/** Ours: of a large burst so many tell of a limit of their own of up to two fifths of it. */
const SUBMITTED_SHARE = 0.6;

/** Whether submissions of a smaller plan's number would be a part of its burst. */
export function isPaid({ burst }: RateLimit): boolean {
  return burst > SUBMITTED_BURST_MAX;
}

/** The same at once, the submissions first. */
export async function fireMixedBurst(key: LimitedKey): Promise<readonly Exchange[]> {
  const { limit } = key;
  if (isDemanding(limit)) return fireBurst(key);
  const reads = allReads(key);
  const length = isPaid(limit) ? Math.ceil(limit.burst * SUBMITTED_SHARE) : SUBMITTED_AT_ONCE;
  const submissions = Array.from({ length }, () => submissionToNobody(key));
  const calls = Array.from({ length: burstSize(key.limit) }, (_, at) => {
    return submissions[at] ?? reads[at % reads.length];
  });
  const shots = await Promise.all(calls.map((call) => ask(key, call)));
  return shots.map(withoutLongBody);
}

/** To a worker that does not exist: should it be admitted, nothing is run. */
export function submissionToNobody({ random }: LimitedKey): Partial<Call> {
  const parameter = `plumbline-${random.token(16)}`;
  return { method: "POST", route: "submit", parameter, body: "{}" };
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
  // Of a key that earns much meanwhile until it is refused: nothing is left, and nothing owed.
  const spent = isDemanding(limit) ? await fireUntilRefused(key, 1) : await fire(key, limit.burst);
  const steadyFromMs = world.now() + forgettingMs;
  const durationMs = steadyFromMs - world.now() + even.steadyMs;
  const steadyPhase = await sentEvenly(key, even, durationMs, forgettingMs);
  return { ...steadyPhase, shots: [...spent, ...steadyPhase.shots], steadyFromMs };
}

/** The burst stays saved up, so that a limiter that counts refused requests has none to count. */
export async function stayEvenFromRest(key: LimitedKey, even: Even): Promise<SteadyPhase> {
  await rest(key, LONG_REST_WINDOWS);
  return { ...(await sentEvenly(key, even, even.steadyMs)), savedUp: key.limit.burst };
}

async function sentEvenly(
  key: LimitedKey,
  even: Even,
  durationMs: number,
  forgettingMs = 0,
): Promise<SteadyPhase> {
  const { perSecond, steadyMs, catchUpMs, lostShareMax, isMixed = false } = even;
  const mixed = isMixed ? { callAt: mixedCalls(key, even, forgettingMs) } : {};
  const lostMsMax = lostShareMax && lostShareMax * steadyMs;
  const pace = { catchUpMs, jitterShare: 0, lostMsMax, unheldMs: forgettingMs, ...mixed };
  const shots = await sendEvenly(key, perSecond, durationMs, pace);
  return { offeredPerSecond: perSecond, shots, steadyMs };
}
