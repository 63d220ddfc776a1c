/** Faults of the rate limits that refuse what the plan allows. */

import type { RateLimit } from "../../contract/plans.ts";
import type { RouteName } from "../../contract/requests/routes.ts";
import type { Hooks } from "../hooks.ts";
import { tokenBucket } from "../limiters/buckets.ts";
import { type Decision, refused } from "../limiters/limiter.ts";
import { whenBusy } from "./current-load.ts";
import { type Fault, sometimes } from "./fault.ts";
import { forEachName } from "./rate-connections.ts";

/** The refusal that a fault makes up: a second, as the header tells whole ones. */
const MADE_UP: Decision = refused(1_000);

/** Refuses 1 request in `oneOf`, whatever the key's allowance. */
export const falselyRefusing = (oneOf: number) =>
  sometimes(oneOf, (isTime) => ({
    decision: (decision) => (decision.admitted && isTime() ? MADE_UP : decision),
  }));

/** Refuses submissions whatever the key's allowance, 1 in `oneOf` of a busy service. */
export const sheddingLoad = (oneOf: number) =>
  whenBusy(oneOf, (isHit) => ({
    decision: (decision, _key, { route }) =>
      route === "submit" && decision.admitted && isHit() ? MADE_UP : decision,
  }));

/** An endpoint has a limit of its own, beside the key's. */
export const limitingRoute =
  (which: RouteName, limitOf: (ofKey: RateLimit) => RateLimit): Fault["create"] =>
  () => {
    const ownOf = forEachName((ofKey) => tokenBucket({ ...limitOf(ofKey), refusedCount: false }));
    return {
      decision: (decision, key, { route }, nowMs) =>
        route === which && decision.admitted ? ownOf(key.name, key)(nowMs) : decision,
    };
  };

/** Ours: longer than a retry is late that keeps to the wait that it was told. */
const SHUT_OUT_MS = 700;

/** Shuts a key out after 1 refusal in `oneOf` until some time after the wait that it is told. */
export function shuttingOut(oneOf: number): Fault["create"] {
  return sometimes(oneOf, (isTime) => {
    const untilMs = new Map<string, number>();
    return {
      decision(decision, { name }, _request, nowMs) {
        if (nowMs < (untilMs.get(name) ?? nowMs)) return decision.admitted ? MADE_UP : decision;
        if (decision.admitted || !isTime()) return decision;
        const toldMs = Math.ceil(decision.waitMs / 1000) * 1000;
        untilMs.set(name, nowMs + toldMs + SHUT_OUT_MS);
        return decision;
      },
    };
  });
}

/** Ours: so long that of an overload next to nothing is admitted. */
const PENALTY_MS = 3_000;

/** Each refusal shuts a key out for some time, and only those within that time tell of it. */
export function penalizing(): Partial<Hooks> {
  const untilMs = new Map<string, number>();
  return {
    decision(decision, { name }, _request, nowMs) {
      const until = untilMs.get(name) ?? nowMs;
      if (nowMs < until) return refused(until - nowMs);
      if (!decision.admitted) untilMs.set(name, nowMs + decision.waitMs + PENALTY_MS);
      return decision;
    },
  };
}

/** Ours: a key counts as exhausted for so long after a refusal. */
const EXHAUSTED_MS = 400;

/** Refuses the keys of an account while one of them is refused for good reason. */
export function refusingTogether(): Partial<Hooks> {
  const exhausted = new Map<string, { name: string; atMs: number }>();
  return {
    decision(decision, key, _request, nowMs) {
      if (!decision.admitted) {
        exhausted.set(key.account, { name: key.name, atMs: nowMs });
        return decision;
      }
      const last = exhausted.get(key.account);
      const others = last !== undefined && last.name !== key.name;
      return others && nowMs - last.atMs < EXHAUSTED_MS ? MADE_UP : decision;
    },
  };
}
