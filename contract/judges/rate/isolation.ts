/** rate.per-key and rate.all-endpoints: whose the limit is. Spec §8. */

import type { Exchange } from "../../exchange.ts";
import type { Finding } from "../../verdict.ts";
import { broken, inconclusive, kept, unobserved } from "../../verdict.ts";
import type { EndpointTrial, KeyTrial, Volley } from "./trial.ts";
import { answeredAtMs, shotsWith } from "./trial.ts";

/** A key's volley while others were exhausted, and the same key's volley while they rested. */
export interface IsolationTrial {
  key: string;
  exhausted: readonly string[];
  /** Refused requests of the exhausted keys: proof that they had nothing left. */
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
        `${leaking.exhausted.join(", ")} was exhausted, and ` +
        `${Math.min(...leaking.alone.map(admittedOf))} while it rested`,
      { evidence, exchanges: shotsWith(leaking.besideExhausted[0]?.shots ?? [], "refused") },
    );
  }
  const names = usable.map((trial) => trial.key).join(", ");
  return kept(promise, `${names}: whole allowance while other keys were exhausted`, { evidence });
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

/** Ours: trials at different phases that must agree; a window may roll over during any one. */
const ENDPOINT_TRIALS_MIN = 3;

export function judgeAllEndpoints(trial: KeyTrial): Finding {
  const promise = "rate.all-endpoints";
  const { key, endpoints } = trial;
  const usable = endpoints.filter((each) => shotsWith(each.exhaustedBy, "refused").length > 0);
  if (endpoints.length === 0) return unobserved(promise, `${key}: other endpoints were not tried`);
  if (usable.length < ENDPOINT_TRIALS_MIN) {
    return inconclusive(
      promise,
      `${key}: exhausted ${usable.length} times, needs ${ENDPOINT_TRIALS_MIN}`,
    );
  }
  for (const route of routesOf(usable)) {
    const excessive = usable.filter((each) => exceeds(each, route, trial.limit.sustained));
    if (excessive.length === usable.length) {
      return broken(
        promise,
        `${key}: on ${route} requests are admitted while the key is exhausted on /v1/me`,
        {
          evidence: {
            [key]: { route, admitted: usable.map((each) => admittedOn(each, route).length) },
          },
          exchanges: admittedOn(usable[0], route),
        },
      );
    }
  }
  const shots = usable.reduce((sum, each) => sum + each.shots.length, 0);
  return kept(promise, `${key}: ${shots} requests on other endpoints drew on the same allowance`, {
    evidence: { [key]: { requests: shots, trials: usable.length } },
  });
}

function routesOf(trials: readonly EndpointTrial[]): readonly string[] {
  return [...new Set(trials.flatMap((trial) => trial.shots.map((shot) => shot.path)))];
}

function admittedOn(trial: EndpointTrial | undefined, path: string): readonly Exchange[] {
  return shotsWith(trial?.shots ?? [], "admitted").filter((shot) => shot.path === path);
}

/** More admitted on the path than the key can have earned since its last refusal. */
function exceeds(trial: EndpointTrial, path: string, sustained: number): boolean {
  const admitted = admittedOn(trial, path);
  if (admitted.length === 0) return false;
  const emptyAtMs = Math.max(...shotsWith(trial.exhaustedBy, "refused").map((s) => s.sentAtMs));
  const seconds = (Math.max(...admitted.map(answeredAtMs)) - emptyAtMs) / 1_000;
  return admitted.length > 2 + sustained * Math.max(0, seconds);
}
