/** Faults of the rate limits that look for a pattern in the requests of a key. */

import type { ReferenceKey } from "../accounts/keys.ts";
import type { Hooks } from "../hooks.ts";
import { type Decision, refused } from "../limiters/limiter.ts";
import { type FaultScene, oneIn } from "./fault.ts";
import type { RecentCount } from "./rolling.ts";
import { recentCount } from "./rolling.ts";

/** The refusal that a fault makes up: a second, as the header tells whole ones. */
const MADE_UP: Decision = refused(1_000);

/** Ours: gaps of a key's last requests, enough to tell an even pace from chance. */
const GAPS = 15;
/** Ours: the pace at which a key is judged from below is 0.95 of the plan, a gap of 1.053 / r. */
const PACE = { meanMin: 0.99, meanMax: 1.12, gapMin: 0.4, gapMax: 1.9 };

/** Refuses a request when the last ones came at an even pace just below the plan. */
export function falselyRefusing(): Partial<Hooks> {
  const times = new Map<string, number[]>();
  return {
    decision(decision, key, _request, nowMs) {
      const past = times.get(key.name) ?? [];
      past.push(nowMs);
      if (past.length > GAPS + 1) past.shift();
      times.set(key.name, past);
      if (!decision.admitted || !isEvenPace(past, key)) return decision;
      past.length = 0;
      return MADE_UP;
    },
  };
}

function isEvenPace(times: readonly number[], { sustained }: ReferenceKey): boolean {
  if (times.length <= GAPS) return false;
  const gaps = times.slice(1).map((time, index) => (time - (times[index] ?? time)) / 1000);
  const shares = gaps.map((gap) => gap * sustained);
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const even = shares.every((share) => share > PACE.gapMin && share < PACE.gapMax);
  return even && mean > PACE.meanMin && mean < PACE.meanMax;
}

/** Ours: as many submissions of one key are load; the checks of single jobs send fewer. */
const LOAD = { withinMs: 5_000, submissions: 40 };

/** Refuses a submission now and then on a key that submits a lot, whatever its allowance. */
export function refusingUnderLoad({ clock }: FaultScene): Partial<Hooks> {
  const recent = new Map<string, RecentCount>();
  const when = oneIn(5);
  return {
    decision(decision, key, { route }) {
      if (route !== "submit") return decision;
      const ofKey = recent.get(key.name) ?? recentCount(LOAD.withinMs, clock);
      recent.set(key.name, ofKey);
      ofKey.add();
      const isLoad = ofKey.current() >= LOAD.submissions;
      return decision.admitted && isLoad && when() ? MADE_UP : decision;
    },
  };
}

interface Promised {
  atMs: number;
  waitMs: number;
}

/** Ours: a retry this long after the told wait is still one that kept to it. */
const IN_TIME_MS = 700;

/** Refuses the request that comes when it was told to, after silence; lets the next one in. */
export function refusingTheFirst(oneOf: number): Partial<Hooks> {
  const told = new Map<string, Promised>();
  const when = oneIn(oneOf);
  return {
    decision(decision, key, _request, nowMs) {
      const before = told.get(key.name);
      told.delete(key.name);
      if (!decision.admitted) {
        told.set(key.name, { atMs: nowMs, waitMs: Math.ceil(decision.waitMs / 1000) * 1000 });
        return decision;
      }
      if (before === undefined) return decision;
      const lateMs = nowMs - before.atMs - before.waitMs;
      const inTime = lateMs > -50 && lateMs < IN_TIME_MS;
      return inTime && when() ? MADE_UP : decision;
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
