/** rate.per-key and rate.all-endpoints: whose the limit is. Spec §8. */

import type { Exchange } from "../../exchange.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { RouteName } from "../../routes.ts";
import { ROUTES } from "../../routes.ts";
import { looksAt } from "../../strength.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { EndpointTrial, KeyTrial, Volley } from "./trial.ts";
import { shotsWith } from "./trial.ts";

/** A key's volley while others were exhausted, and the same key's volley while they rested. */
export interface IsolationTrial {
  key: string;
  exhausted: readonly string[];
  /** Refused requests of the last of them: proof that it had nothing left. */
  refusedOfOthers: number;
  burst: number;
  besideExhausted: readonly Volley[];
  /** Only taken when a volley beside exhausted keys fell short. */
  alone: readonly Volley[];
}

export function judgePerKey(trials: readonly IsolationTrial[]): Finding {
  const promise = "rate.per-key";
  const usable = trials.filter((trial) => trial.refusedOfOthers > 0);
  if (trials.length === 0) return unobserved(promise, "needs two active keys with declared plans");
  if (usable.length === 0) {
    return inconclusive(promise, "no key could be exhausted, so nothing was to be kept apart");
  }
  const evidence = Object.fromEntries(usable.map((trial) => [trial.key, isolationEvidence(trial)]));
  const leaking = usable.find(isLeaking);
  if (leaking !== undefined) {
    const least = Math.min(...leaking.besideExhausted.map(admittedOf));
    return broken(
      promise,
      `${leaking.key} got ${least} of its ${leaking.burst} requests through while ` +
        `${leaking.exhausted.join(", ")} had nothing left, and ` +
        `${Math.min(...leaking.alone.map(admittedOf))} while others rested`,
      { evidence, exchanges: shotsWith(leaking.besideExhausted[0]?.shots ?? [], "refused") },
    );
  }
  const names = usable.map((trial) => trial.key).join(", ");
  return kept(promise, `${names}: whole allowance while other keys were exhausted`, {
    evidence,
    strength: looksAt(usable.length, "keys"),
  });
}

function admittedOf(volley: Volley): number {
  return shotsWith(volley.shots, "admitted").length;
}

function isolationEvidence(trial: IsolationTrial): { readonly [key: string]: number[] } {
  return {
    besideExhausted: trial.besideExhausted.map(admittedOf),
    alone: trial.alone.map(admittedOf),
  };
}

/** Short beside exhausted keys each time, and better alone each time: the others are the cause. */
export function isLeaking(trial: IsolationTrial): boolean {
  if (trial.besideExhausted.length === 0 || trial.alone.length === 0) return false;
  const beside = Math.max(...trial.besideExhausted.map(admittedOf));
  const alone = Math.min(...trial.alone.map(admittedOf));
  return beside < trial.burst && beside < alone;
}

/** A key that still lacks some of its burst beside exhausted keys: worth a second look. */
export function isSuspicious(volley: Volley, burst: number): boolean {
  return admittedOf(volley) < burst;
}

/** The endpoint on which keys are exhausted. */
const PRESSED_ROUTE: RouteName = "me";
/** A submission that is refused costs nothing, and one that is not a job: a second try is rare. */
const SUBMITTED_ROUTE: RouteName = "submit";
/** Ours: trials at different phases that must agree; a window may roll over during any one. */
export const ENDPOINT_TRIALS_MIN = 3;

export function judgeAllEndpoints(trial: KeyTrial): Finding {
  const promise = "rate.all-endpoints";
  const { key, endpoints } = trial;
  if (endpoints.length === 0) return unobserved(promise, `${key}: other endpoints were not tried`);
  const usable = endpoints.filter((each) => shotsWith(each.exhaustedBy, "refused").length > 0);
  const tried = routesOf(usable).map((route) => ({ route, trials: trialsOn(usable, route) }));
  const enough = tried.filter(({ trials }) => trials.length >= ENDPOINT_TRIALS_MIN);
  const leak = enough.find(({ route, trials }) =>
    trials.every((each) => exceeds(each, route, trial.limit.sustained)),
  );
  if (leak !== undefined) {
    const chance = renewalChance(leak.trials, leak.route, trial.limit);
    if (chance <= RENEWAL_CHANCE_MAX) return leaking(trial, leak.route, leak.trials);
    const when = `each time before ${placeOf(leak.route)} answered`;
    return inconclusive(promise, `${key}: a window of its limit may have begun anew ${when}`);
  }
  const reads = tried.filter(({ route }) => route !== SUBMITTED_ROUTE);
  const short = reads.find(({ trials }) => trials.length < ENDPOINT_TRIALS_MIN);
  if (short !== undefined || enough.length === 0) {
    return inconclusive(
      promise,
      `${key}: exhausted ${short?.trials.length ?? 0} times before ` +
        `${short === undefined ? "other endpoints" : placeOf(short.route)} were tried, ` +
        `needs ${ENDPOINT_TRIALS_MIN}`,
    );
  }
  const requests = usable.reduce((sum, each) => sum + each.shots.length, 0);
  return kept(
    promise,
    `${key}: ${requests} requests on other endpoints and connections drew on the same allowance`,
    {
      evidence: { [key]: { requests, trials: usable.length } },
      strength: looksAt(usable.length, "trials"),
    },
  );
}

function leaking(trial: KeyTrial, route: RouteName, trials: readonly EndpointTrial[]): Finding {
  const where = placeOf(route);
  return broken(
    "rate.all-endpoints",
    `${trial.key}: on ${where} requests are admitted while the key is exhausted on ` +
      `${ROUTES[PRESSED_ROUTE]}`,
    {
      evidence: {
        [trial.key]: { where, admitted: trials.map((t) => admittedOn(t, route).length) },
      },
      exchanges: admittedOn(trials[0], route),
    },
  );
}

function placeOf(route: RouteName): string {
  return route === PRESSED_ROUTE ? "other connections" : ROUTES[route];
}

function trialsOn(trials: readonly EndpointTrial[], route: RouteName): readonly EndpointTrial[] {
  return trials.filter((trial) => trial.shots.some((shot) => shot.route === route));
}

function routesOf(trials: readonly EndpointTrial[]): readonly RouteName[] {
  return [...new Set(trials.flatMap((trial) => trial.shots.map((shot) => shot.route)))];
}

function admittedOn(trial: EndpointTrial | undefined, route: RouteName): readonly Exchange[] {
  return shotsWith(trial?.shots ?? [], "admitted").filter((shot) => shot.route === route);
}

/** Ours: with it, one key in ten thousand of a lawful service would be called broken. */
const RENEWAL_CHANCE_MAX = 1e-4;

/**
 * How likely it is that in each trial a window of a lawful limiter began anew between the last
 * refusal and the answers, which lets a whole burst through: each trial is at a phase of its own.
 */
function renewalChance(
  trials: readonly EndpointTrial[],
  route: RouteName,
  limit: RateLimit,
): number {
  const shares = trials.map((trial) => sinceRefusalMs(trial, route) / windowMs(limit));
  return shares.reduce((product, share) => product * Math.min(1, share), 1);
}

/** From the last refusal to the last answer that admitted a request on the path, in ms. */
function sinceRefusalMs(trial: EndpointTrial, route: RouteName): number {
  const emptyAtMs = Math.max(...shotsWith(trial.exhaustedBy, "refused").map((s) => s.sentAtMs));
  const lastMs = Math.max(...admittedOn(trial, route).map((s) => s.receivedAtMs));
  return Math.max(0, lastMs - emptyAtMs);
}

/** More admitted on the path than the key can have earned from its last refusal to the answers. */
function exceeds(trial: EndpointTrial, route: RouteName, sustained: number): boolean {
  const admitted = admittedOn(trial, route);
  if (admitted.length === 0) return false;
  return admitted.length > 2 + (sustained * sinceRefusalMs(trial, route)) / 1_000;
}
