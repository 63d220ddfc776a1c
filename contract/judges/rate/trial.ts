/**
 * What was done to a rate-limited key and what it answered: the observations of the rate judges.
 */

import { leastOf, mostOf } from "../../numbers/extremes.ts";
import type { PlanName, RateLimit } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { RouteName } from "../../requests/routes.ts";
import { UNAUTHORIZED } from "../expected-status.ts";
import { countBelow, inTurn, timesOf } from "./ascending.ts";
import { mayBeRefused, trafficOf } from "./lawful-refusal.ts";

/**
 * `failed`: no answer, a 5xx or, for a key that is active, a 401, which tells nothing of the
 * limiter unless it is its way to refuse.
 */
export type ShotOutcome = "admitted" | "refused" | "failed";

/** Requests fired at once on a key that had sent nothing for `restedMs`. */
export interface Burst {
  restedMs: number;
  shots: readonly Exchange[];
  /**
   * Whether they ask all endpoints in turn, none of which takes more than another; what one admits
   * beside the key's allowance is judged by `rate.all-endpoints`. Left out: GET /v1/me alone.
   */
  isMixed?: boolean;
}

export function plainOf(bursts: readonly Burst[]): readonly Burst[] {
  return bursts.filter(({ isMixed }) => isMixed !== true);
}

/** A burst on a rested key, then an overload at `offeredPerSecond` without a pause. */
export interface Drain {
  volley: Burst;
  press: readonly Exchange[];
  /** Where the overload could not tell: just within and just beyond what is tolerated. */
  even?: { below: SteadyPhase; above: SteadyPhase };
}

/** Exhausted until a refusal, waited in silence exactly as told, then asked once more. */
export interface Return {
  /** All that was sent until then, with the refusal. */
  exhaustedBy: readonly Exchange[];
  refusal: Exchange;
  /** The wait that the refusal's Retry-After asked for. */
  toldMs: number;
  /** From the refusal's receipt to the sending of the probe. */
  waitedMs: number;
  probe: Exchange;
}

/** Evenly spaced requests on a rested key, as a rule after its burst was spent at once. */
export interface SteadyPhase {
  offeredPerSecond: number;
  shots: readonly Exchange[];
  /** When any lawful limiter has forgotten the burst; left out where none was spent. */
  steadyFromMs?: number;
  /** Requests that the key may make good out of a burst that was not spent; left out: none. */
  savedUp?: number;
  /** How long it was to last, from then on; left out: as long as it did. */
  steadyMs?: number;
}

/** Ours: what a steady phase must have sent of what it set out for to say anything. */
export const STEADY_SHARE_MIN = 0.85;

/** Whether it ended early, or stood still at its end: of the rest of its time nothing is known. */
export function isCutShort(steadyPhase: SteadyPhase): boolean {
  const { offeredPerSecond, steadyMs = 0 } = steadyPhase;
  const due = (offeredPerSecond * steadyMs) / 1_000;
  return steadyShots(steadyPhase).length < Math.floor(due * STEADY_SHARE_MIN);
}

/** Those in which a key that stays within its plan is refused nothing. */
export function steadyShots({ shots, steadyFromMs = 0 }: SteadyPhase): readonly Exchange[] {
  return shots.filter(({ sentAtMs }) => sentAtMs >= steadyFromMs);
}

/** By the sendings alone: a slow answer to the last request says nothing of the generator. */
export function sentPerSecond(shots: readonly Exchange[]): number {
  if (shots.length < 2) return 0;
  const sent = shots.map(({ sentAtMs }) => sentAtMs);
  const seconds = (mostOf(sent) - leastOf(sent)) / 1_000;
  return (shots.length - 1) / Math.max(seconds, 0.001);
}

/** The endpoint on which keys are loaded: what others let in beside it is another promise's. */
export const LOADED_ROUTE: RouteName = "me";

/** Those of mixed requests that surely drew on the key's one allowance. */
export function drawing(shots: readonly Exchange[]): readonly Exchange[] {
  return shots.filter(({ route }) => route === LOADED_ROUTE);
}

/** Requests on other endpoints straight after a refusal, while the key has nothing left. */
export interface EndpointTrial {
  exhaustedBy: readonly Exchange[];
  shots: readonly Exchange[];
}

export interface KeyTrial {
  key: string;
  plan: PlanName;
  limit: RateLimit;
  volleys: readonly Burst[];
  drain: Drain | null;
  returns: readonly Return[];
  /** Retry-After longer than the run would wait; these returns were not tried. */
  waitsDeclined: readonly Exchange[];
  below: SteadyPhase | null;
  endpoints: readonly EndpointTrial[];
  /** Submissions on the exhausted key: of them only what a 429 says of waiting is judged here. */
  submissions: readonly Exchange[];
}

/** What a key did once it was measured: bursts after long rests, and overloads. */
export interface Watch {
  key: string;
  limit: RateLimit;
  volleys: readonly Burst[];
  presses: readonly Drain[];
}

/**
 * Whether a request was refused for its key, and no later one of all of the key's was not: somebody
 * has revoked the key meanwhile. A limiter that says so serves the key again once it has rested.
 */
export function sinceRevoked(all: readonly Exchange[]): (exchange: Exchange) => boolean {
  const accepted = all.filter(({ status }) => status !== UNAUTHORIZED && status !== 0);
  const acceptedAtMs = mostOf(accepted.map(({ sentAtMs }) => sentAtMs));
  return ({ status, sentAtMs }) => status === UNAUTHORIZED && sentAtMs > acceptedAtMs;
}

export function outcomeOf(exchange: Exchange): ShotOutcome {
  if (exchange.status === 429) return "refused";
  const { status } = exchange;
  return status === 0 || status >= 500 || status === UNAUTHORIZED ? "failed" : "admitted";
}

export function shotsWith(shots: readonly Exchange[], outcome: ShotOutcome): readonly Exchange[] {
  return shots.filter((shot) => outcomeOf(shot) === outcome);
}

/** Every request of the trial, in no particular order. */
export function allShots(trial: KeyTrial): readonly Exchange[] {
  return [...excessShots(trial), ...(trial.below?.shots ?? [])];
}

/** Requests sent while the key was at or above its plan. */
export function excessShots(trial: KeyTrial): readonly Exchange[] {
  return [
    ...trial.volleys.flatMap((burst) => burst.shots),
    ...(trial.drain?.press ?? []),
    ...trial.endpoints.flatMap((each) => each.shots),
    ...trial.returns.flatMap((each) => [each.refusal, each.probe]),
    ...trial.waitsDeclined,
  ];
}

/** Ours: of a burst, so many may overtake each other on their way. */
const FIRST_SHARE = 0.5;

/** Those of a burst that come before it is spent, in whichever order they come. */
function firstOf({ shots }: Burst, { burst }: RateLimit): readonly Exchange[] {
  return inTurn(shots).slice(0, Math.floor(burst * FIRST_SHARE));
}

/** Requests that a rested key is to be served, of which no limiter may refuse one. */
export function shotsWithinPlan({ volleys, below, limit }: KeyTrial): readonly Exchange[] {
  const steady = below === null ? [] : steadyShots(below);
  return [...volleys.flatMap((burst) => firstOf(burst, limit)), ...steady];
}

/**
 * Ours: a request that waits this long in the generator before the transport sees it is counted as
 * answered late, never as early: the transport's own clock starts after that.
 */
const GENERATOR_LAG_MS = 3;

/** When the answer was there, as near as the observer can tell without its own event loop's lag. */
export function answeredAtMs(exchange: Exchange): number {
  if (exchange.transportMs === undefined) return exchange.receivedAtMs;
  const byTransport = exchange.sentAtMs + exchange.transportMs + GENERATOR_LAG_MS;
  return Math.min(exchange.receivedAtMs, byTransport);
}

export function answeredInMs(exchange: Exchange): number {
  return answeredAtMs(exchange) - exchange.sentAtMs;
}

/** When it was read, never too early: what exceeds a bound by this clock does exceed it. */
export function receivedAtMs(exchange: Exchange): number {
  return exchange.receivedAtMs;
}

/** From the first sending to the last answer of these requests, in seconds; 0 for none. */
export function spanSeconds(
  shots: readonly Exchange[],
  endMs: (exchange: Exchange) => number = answeredAtMs,
): number {
  if (shots.length === 0) return 0;
  const first = leastOf(shots.map(({ sentAtMs }) => sentAtMs));
  return (mostOf(shots.map(endMs)) - first) / 1_000;
}

/** What all requests took alike shifts them all: only what some took longer is uncertain. */
export function withoutEqualLag(shots: readonly Exchange[]): readonly Exchange[] {
  const lagMs = leastOf(shots.map(answeredInMs));
  return shots.map((shot) => ({
    ...shot,
    receivedAtMs: shot.receivedAtMs - lagMs,
    ...(shot.transportMs === undefined ? {} : { transportMs: shot.transportMs - lagMs }),
  }));
}

/** Those that no lawful limiter refuses to a key that stays within its plan. */
export function unlawfullyRefused(steadyPhase: SteadyPhase, limit: RateLimit): readonly Exchange[] {
  const shots = withoutHolding(withoutEqualLag(steadyPhase.shots), limit);
  const refused = shotsWith(steadyShots({ ...steadyPhase, shots }), "refused");
  const traffic = trafficOf(shots, limit);
  return refused.filter((shot) => !mayBeRefused(shot, traffic));
}

/** Ours: of so many refusals, and such a share, none would have missed a way that is slow. */
const REFUSALS_MIN = 20;
const REFUSED_SHARE_MIN = 0.1;

/** Ours: answers nearer to each other than that are taken in together by a machine that is busy. */
const TOGETHER_MS = 5;
const TOGETHER_MAX = 2;

/**
 * A limiter may hold back what it admits. That is no slow way, on which requests come together:
 * where many were refused, all promptly, the others had come as promptly, however late they were
 * served. But a way that is shut for a while lets all go at once, and no limiter does: such
 * requests had come by the answer to a refused one that was sent after them.
 */
function withoutHolding(shots: readonly Exchange[], limit: RateLimit): readonly Exchange[] {
  const refused = shotsWith(shots, "refused");
  if (refused.length < Math.max(REFUSALS_MIN, shots.length * REFUSED_SHARE_MIN)) return shots;
  const slowestMs = mostOf(refused.map((shot) => shot.receivedAtMs - shot.sentAtMs));
  const refusedInTurn = inTurn(refused);
  const sentMs = timesOf(refused, "sentAtMs");
  const servedMs = timesOf(shotsWith(shots, "admitted"), "receivedAtMs");
  const togetherMax = TOGETHER_MAX + (2 * TOGETHER_MS * limit.sustained) / 1_000;
  const cameByMs = ({ sentAtMs, receivedAtMs }: Exchange) => {
    const before = countBelow(servedMs, receivedAtMs - TOGETHER_MS);
    const together = countBelow(servedMs, receivedAtMs + TOGETHER_MS) - before;
    const promptMs = sentAtMs + slowestMs;
    if (together <= togetherMax) return promptMs;
    return Math.max(
      promptMs,
      refusedInTurn[countBelow(sentMs, sentAtMs)]?.receivedAtMs ?? Infinity,
    );
  };
  return shots.map((shot) => {
    const byMs = cameByMs(shot);
    return byMs < shot.receivedAtMs ? { ...shot, receivedAtMs: byMs } : shot;
  });
}
