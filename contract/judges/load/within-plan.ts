/** rate.within-plan as whoever paces a key below its plan sees it in passing. Spec §7, §8. */

import type { Claim } from "../../judging/claim.ts";
import { anything, countedClaim } from "../../judging/claim.ts";
import type { RateLimit } from "../../plans.ts";
import { windowMs } from "../../plans.ts";
import type { Exchange } from "../../requests/exchange.ts";
import type { Passage } from "../rate/ascending.ts";
import { mayBeRefused, trafficOf, WINDOWS_BACK } from "../rate/lawful-refusal.ts";
import type { Of } from "./tally-kinds.ts";
import { fields, SUM, VIOLATIONS } from "./tally-kinds.ts";
import { addViolation, faultsOf } from "./violations.ts";

/** The requests of one key of late. */
export interface KeyWatch {
  /** null where no plan is declared, or none is to be kept to: then nothing is judged. */
  readonly limit: RateLimit | null;
  /** Since when each request of the key is among those here; null: there was none yet. */
  completeFromMs: number | null;
  recent: Passage[];
  pruneAt: number;
}

/** Answers 429 to keys of declared plans. */
export const PLAN_REFUSALS = fields({
  requests: SUM,
  /** Of requests that no lawful limiter refuses. */
  unlawful: VIOLATIONS,
  /** Of those that others may explain. */
  doubtful: VIOLATIONS,
});

export type PlanRefusals = Of<typeof PLAN_REFUSALS>;

/** Ours: a key that sends more in that time takes megabytes to watch. */
const RECENT_MAX = 20_000;
/** Ours: pruned in batches, as each costs a copy. */
const PRUNE_STEP = 100;

export function newKeyWatch(limit: RateLimit | null): KeyWatch {
  return { limit, completeFromMs: null, recent: [], pruneAt: PRUNE_STEP };
}

/** Remembers a request that is being sent; its answer's time is to be filled in. */
export function watchRequest(watch: KeyWatch, sentAtMs: number): Passage {
  const passage = { sentAtMs, receivedAtMs: Number.POSITIVE_INFINITY };
  if (watch.limit === null) return passage;
  watch.completeFromMs ??= sentAtMs;
  watch.recent.push(passage);
  if (watch.recent.length > watch.pruneAt) prune(watch, watch.limit, sentAtMs);
  return passage;
}

function prune(watch: KeyWatch, limit: RateLimit, nowMs: number): void {
  // Twice of what is needed: a refusal is judged by when it was sent, some time ago.
  const fromMs = nowMs - 2 * WINDOWS_BACK * windowMs(limit);
  const { recent } = watch;
  // What is old behind the first that is needed goes with it, later.
  let first = 0;
  while ((recent[first]?.receivedAtMs ?? Number.POSITIVE_INFINITY) < fromMs) first += 1;
  const cut = recent.length - RECENT_MAX;
  if (cut > first) watch.completeFromMs = recent[cut]?.sentAtMs ?? nowMs;
  watch.recent = recent.slice(Math.max(first, cut));
  watch.pruneAt = 2 * watch.recent.length + PRUNE_STEP;
}

/** Takes in an answer to a request that is among the recent ones. */
export function countAnswer(refusals: PlanRefusals, watch: KeyWatch, exchange: Exchange): void {
  if (watch.limit === null) return;
  refusals.requests += 1;
  if (exchange.status !== 429) return;
  const { method, path, key } = exchange;
  const violation = { what: `${method} ${path} got 429 on ${key}`, exchanges: [exchange] };
  const isUnlawful = isUnlawfullyRefused(exchange, watch, watch.limit);
  addViolation(isUnlawful ? refusals.unlawful : refusals.doubtful, violation);
}

function isUnlawfullyRefused(refused: Passage, watch: KeyWatch, limit: RateLimit): boolean {
  const knownFromMs = watch.completeFromMs ?? refused.sentAtMs;
  if (refused.sentAtMs - WINDOWS_BACK * windowMs(limit) < knownFromMs) return false;
  return !mayBeRefused(refused, trafficOf(watch.recent, limit));
}

/**
 * null without a 429: whoever keeps to a pace is too slow to show that there is none nearer to the
 * plan. `who`: "the soak".
 */
export function pacedWithinPlanClaim(refusals: PlanRefusals, who: string): Claim | null {
  const { requests, unlawful, doubtful } = refusals;
  const refused = unlawful.count + doubtful.count;
  if (refused === 0) return null;
  const why = "requests may have arrived as a burst, or another caller may have used the keys";
  const above = [anything("others' use", why)];
  return countedClaim({
    promise: "rate.within-plan",
    faults: [...faultsOf(unlawful), ...faultsOf(doubtful).map((each) => ({ ...each, above }))],
    good: requests - refused,
    of: "requests",
    off: `of ${who} got 429, though it paces its keys within their plans`,
    without: "",
    evidence: { paced: { requests, refused, unlawful: unlawful.count } },
  });
}
