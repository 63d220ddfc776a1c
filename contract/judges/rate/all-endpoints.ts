/** rate.all-endpoints: the limit is the key's, not an endpoint's or a connection's. Spec §8. */

import type { Claim } from "../../judging/claim.ts";
import { anythingIf } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { RouteName } from "../../requests/routes.ts";
import { ROUTES } from "../../requests/routes.ts";
import type { Json } from "../../verdict.ts";
import type { Doubt, KeySeen } from "./keys.ts";
import { keysClaim } from "./keys.ts";
import type { MeasuredTrial } from "./measured.ts";
import { mayBeChance, moreInSpans } from "./refill.ts";
import type { EndpointTrial } from "./trial.ts";
import { LOADED_ROUTE, shotsWith } from "./trial.ts";

/**
 * A submission that is refused costs nothing, and one that is not a job: a second try is rare. What
 * there is no worker for is not published: where that is looked for first, it tells nothing.
 */
const RARE_ROUTES: readonly RouteName[] = ["submit", "publish"];
/** Ours: trials at different phases that must agree; a window may roll over during any one. */
export const ENDPOINT_TRIALS_MIN = 3;
/** Ours: one burst may have met a window that others had used. */
const SHARED_VOLLEYS_MIN = 2;

export function allEndpointsClaim(trials: readonly MeasuredTrial[]): Claim {
  const without = "other endpoints were not tried";
  const tried = trials.map(triedIn);
  const seen = trials.map((trial, at) => seenOf(trial, tried[at] ?? []));
  const claim = keysClaim({ promise: "rate.all-endpoints", of: "trials", without }, seen);
  return { ...claim, evidence: { ...claim.evidence, paths: pathsIn(tried.flat()) } };
}

/** On how many keys each path was tried often enough. */
function pathsIn(tried: readonly Tried[]): Json {
  const paths: Record<string, number> = {};
  for (const { route } of tried.filter(isEnough)) {
    const place = placeOf(route);
    paths[place] = (paths[place] ?? 0) + 1;
  }
  return paths;
}

/** The trials of one path on a key that had nothing left. */
interface Tried {
  route: RouteName;
  trials: readonly PathTrial[];
}

interface PathAnswers {
  admitted: readonly Exchange[];
  /** From the last refusal to the last answer that admitted a request on the path. */
  sinceRefusalMs: number;
  /** Whether the path refused any, and so had no more than the key had. */
  isRefused: boolean;
}

interface PathTrial extends PathAnswers {
  /** More admitted than the key can have earned from its last refusal to the answers. */
  exceeds: boolean;
  /** Whether a path with an allowance of its own would have shown it. */
  isTelling: boolean;
}

function seenOf(measured: MeasuredTrial, tried: readonly Tried[]): KeySeen | null {
  const { key, limit, endpoints } = measured;
  if (endpoints.length === 0) return null;
  const usable = usableOf(measured);
  const enough = tried.filter(isEnough);
  const untold = enough.find(({ route, trials }) => {
    const isSharing = route === LOADED_ROUTE && isShared(measured);
    return !trials.some((each) => (isSharing ? each.isTelling : each.isRefused));
  });
  const faults = enough
    .map((each) => ({ ...each, trials: each.trials.filter(({ isTelling }) => isTelling) }))
    .filter(isEnough)
    .filter(({ trials }) => trials.every(({ exceeds }) => exceeds))
    .map((leak) => faultOf(leak, limit))
    .filter(({ at, above }) => above.length === 0 || !(at === LOADED_ROUTE && isShared(measured)));
  const requests = usable.reduce((sum, { shots }) => sum + shots.length, 0);
  return {
    key,
    faults,
    doubt: faults.length > 0 ? null : (tooFew(key, tried, enough) ?? allEarned(untold)),
    good: faults.length > 0 ? 0 : usable.length,
    said: `${requests} requests on other endpoints and connections drew on the same allowance`,
    evidence: { requests, trials: usable.length },
  };
}

function usableOf({ endpoints }: MeasuredTrial): readonly EndpointTrial[] {
  return endpoints.filter((each) => shotsWith(each.exhaustedBy, "refused").length > 0);
}

function triedIn(measured: MeasuredTrial): readonly Tried[] {
  const { limit, limiter, refill } = measured;
  const usable = usableOf(measured);
  const routes = new Set(usable.flatMap(({ shots }) => shots.map(({ route }) => route)));
  // One that is given more than its plan has earned that much, whatever the path.
  const earned = Math.max(limit.sustained, limiter?.sustained?.value ?? 0);
  return [...routes].map((route): Tried => {
    const trials = usable.filter(({ shots }) => shots.some((shot) => shot.route === route));
    const reads = trials.map((each) => read(each, route));
    const spansMs = reads.map(({ sinceRefusalMs }) => sinceRefusalMs);
    const early = moreInSpans(spansMs, refill, limit);
    return { route, trials: reads.map((each) => told(each, earned, early)) };
  });
}

function isEnough({ trials }: Tried): boolean {
  return trials.length >= ENDPOINT_TRIALS_MIN;
}

/**
 * Whether bursts, which go out at once and so on a connection each, were refused in part: these
 * connections had no allowance of their own.
 */
function isShared({ volleys }: MeasuredTrial): boolean {
  const refused = volleys.filter(({ shots }) => shotsWith(shots, "refused").length > 0);
  return refused.length >= SHARED_VOLLEYS_MIN;
}

/** Each trial is at a phase of its own; in all of them a window may have begun anew, by chance. */
function faultOf({ route, trials }: Tried, limit: RateLimit) {
  const spansMs = trials.map(({ sinceRefusalMs }) => sinceRefusalMs);
  const counts = trials.map(({ admitted }) => admitted.length).join(", ");
  const why = `a window of its limit may have begun anew before ${placeOf(route)} answered`;
  return {
    at: route,
    what:
      `on ${placeOf(route)} ${counts} requests are admitted while the key is exhausted on ` +
      ROUTES[LOADED_ROUTE],
    times: trials.length,
    exchanges: trials.flatMap(({ admitted }) => admitted.slice(0, 1)),
    above: anythingIf(mayBeChance(spansMs, windowMs(limit)), "host lag", why),
  };
}

function tooFew(key: string, tried: readonly Tried[], enough: readonly Tried[]): Doubt | null {
  const reads = tried.filter(({ route }) => !RARE_ROUTES.includes(route));
  const short = reads.find(({ trials }) => trials.length < ENDPOINT_TRIALS_MIN);
  if (short === undefined && enough.length > 0) return null;
  const where = short === undefined ? "other endpoints" : placeOf(short.route);
  const why =
    `exhausted ${short?.trials.length ?? 0} times before ${where} were tried, ` +
    `needs ${ENDPOINT_TRIALS_MIN} (see rate.limited)`;
  return { cause: "host lag", why, explainedBy: [{ promise: "rate.limited", key }] };
}

/** A path on which nothing was refused, and no more was asked than the key earned meanwhile. */
function allEarned(untold: Tried | undefined): Doubt | null {
  if (untold === undefined) return null;
  const place = placeOf(untold.route);
  const why = `the key may have earned all that ${place} answered meanwhile`;
  return { cause: "network", why, strata: { paths: place } };
}

function placeOf(route: RouteName): string {
  return route === LOADED_ROUTE ? "other connections" : ROUTES[route];
}

function read(trial: EndpointTrial, on: RouteName): PathAnswers {
  const shots = trial.shots.filter(({ route }) => route === on);
  const admitted = shotsWith(shots, "admitted");
  const emptyAtMs = Math.max(...shotsWith(trial.exhaustedBy, "refused").map((s) => s.sentAtMs));
  const lastMs = Math.max(...admitted.map((s) => s.receivedAtMs));
  const sinceRefusalMs = Math.max(0, lastMs - emptyAtMs);
  return { admitted, sinceRefusalMs, isRefused: shotsWith(shots, "refused").length > 0 };
}

/** `early`: what may have come back before it was due. */
function told(answers: PathAnswers, earned: number, early: number): PathTrial {
  const { admitted, sinceRefusalMs, isRefused } = answers;
  const most = 2 + early + (earned * sinceRefusalMs) / 1_000;
  const exceeds = admitted.length > most;
  return { ...answers, exceeds, isTelling: exceeds || isRefused };
}
