/** Decides which key does what, so that no run disturbs what another one measures. */

import { declaredLimit } from "../contract/plans.ts";
import type { KeyRoles, PlanKey } from "../contract/run/run-plan.ts";

/** Ours: two keys of a plan can be measured side by side, a third one adds nothing. */
const LIMITED_PER_PLAN_MAX = 2;
/** Ours: with fewer there is no second key whose allowance could have been left whole. */
const LIMITED_FOR_ISOLATION = 2;

/** `loadKeys`: names of the keys that carry the load; null: those that are free for it. */
export function assignKeyRoles(
  keys: readonly PlanKey[],
  loadKeys: readonly string[] | null = null,
): KeyRoles {
  const active = byRate(keys.filter((key) => key.state === "active"));
  const caller = chooseCaller(active);
  const stranger = chooseStranger(active, caller);
  const submitters = chooseSubmitters(active, caller, stranger);
  const busy = [caller, stranger, ...submitters].filter((key) => key !== null);
  const [webhook = caller, timeout = webhook] = submitters;
  const limited = chooseLimited(active, busy);
  const submitting = [caller, webhook, timeout].filter((key) => key !== null);
  return {
    caller: caller?.name ?? null,
    stranger: stranger?.name ?? null,
    revoked: keys.find((key) => key.state === "revoked")?.name ?? null,
    exhausted: keys.find((key) => key.state === "exhausted")?.name ?? null,
    limited: limited.map((key) => key.name),
    overLimit: chooseOverLimit(limited, submitting)?.name ?? null,
    webhook: webhook?.name ?? null,
    timeout: timeout?.name ?? null,
    loaded: loadKeys ?? chooseLoaded(active, webhook).map((key) => key.name),
  };
}

/** Fastest first; keys without a declared limit last. */
function byRate(keys: readonly PlanKey[]): PlanKey[] {
  const rate = (key: PlanKey) => declaredLimit(key)?.sustained ?? 0;
  return [...keys].sort((a, b) => rate(b) - rate(a));
}

/** The fastest key whose plan has another key to be measured, else the fastest of all. */
function chooseCaller(active: readonly PlanKey[]): PlanKey | null {
  const spare = active.find((key) => isSpare(key, active, []));
  return spare ?? active[0] ?? null;
}

/** Whether a plan is still covered without this key and the ones taken already. */
function isSpare(key: PlanKey, active: readonly PlanKey[], taken: readonly PlanKey[]): boolean {
  if (declaredLimit(key) === null) return true;
  return active.some(
    (other) =>
      other !== key &&
      !taken.includes(other) &&
      samePlan(other, key) &&
      declaredLimit(other) !== null,
  );
}

/** Custom plans are one plan only where their limits are the same. Spec §8. */
function samePlan(a: PlanKey, b: PlanKey): boolean {
  const left = declaredLimit(a);
  const right = declaredLimit(b);
  const sameLimit = left?.sustained === right?.sustained && left?.burst === right?.burst;
  return a.plan === b.plan && sameLimit;
}

/** Ours: one for the watched webhooks, one for the late jobs. */
const SUBMITTERS_MAX = 2;

/**
 * Keys on declared accounts of their own, where nobody else of this run submits, as long as their
 * plan keeps a key to be measured; the fastest first.
 */
function chooseSubmitters(
  active: readonly PlanKey[],
  caller: PlanKey | null,
  stranger: PlanKey | null,
): readonly PlanKey[] {
  const taken: PlanKey[] = [caller, stranger].filter((key) => key !== null);
  const chosen: PlanKey[] = [];
  for (const key of active) {
    if (chosen.length === SUBMITTERS_MAX) break;
    const isApart = taken.every((other) => areApart(key, other));
    if (taken.includes(key) || !isApart || !isSpare(key, active, taken)) continue;
    chosen.push(key);
    taken.push(key);
  }
  return chosen;
}

/**
 * All keys of known limits, as one of them may be served otherwise, the fastest first; only
 * webhooks are still watched when the load comes, so none of that account. Where there are none
 * one other has to do.
 */
function chooseLoaded(active: readonly PlanKey[], webhook: PlanKey | null): readonly PlanKey[] {
  const apart = active.filter((key) => webhook !== null && areApart(key, webhook));
  const limited = apart.filter((key) => declaredLimit(key) !== null);
  if (limited.length > 0) return limited;
  const [other = webhook] = [...apart, ...active.filter((key) => key !== webhook)];
  return other === null ? [] : [other];
}

/** The slowest, exhausted longest; of an account that nobody submits to, if it can be. */
function chooseOverLimit(
  limited: readonly PlanKey[],
  submitting: readonly PlanKey[],
): PlanKey | null {
  const slowestFirst = byRate(limited).reverse();
  const apart = slowestFirst.find((key) => submitting.every((other) => areApart(key, other)));
  return apart ?? slowestFirst[0] ?? null;
}

/** Whether two keys are known to belong to different accounts. */
export function areApart(a: PlanKey, b: PlanKey): boolean {
  return a.account !== null && b.account !== null && a.account !== b.account;
}

/** A key of another declared account; the slowest spare one, as the caller needs the speed. */
function chooseStranger(active: readonly PlanKey[], caller: PlanKey | null): PlanKey | null {
  if (caller === null) return null;
  const others = active.filter((key) => areApart(key, caller));
  const slowestFirst = [...others].reverse();
  const spare = slowestFirst.find((key) => isSpare(key, active, [caller]));
  return spare ?? slowestFirst[0] ?? null;
}

/**
 * The best keys of each plan that have nothing else to do; where a plan has none, or there are too
 * few to judge isolation, the ones with another role as well, and the runs go one after the other.
 */
function chooseLimited(active: readonly PlanKey[], taken: readonly PlanKey[]): readonly PlanKey[] {
  const declared = active.filter((key) => declaredLimit(key) !== null);
  const busy = declared.filter((key) => taken.includes(key));
  const chosen: PlanKey[] = [];
  for (const plan of plansOf(declared)) {
    const free = plan.filter((key) => !busy.includes(key));
    const best = free.length > 0 ? accountMatesFirst(free) : plan.slice(0, 1);
    chosen.push(...best.slice(0, LIMITED_PER_PLAN_MAX));
  }
  for (const key of [...busy].reverse()) {
    if (chosen.length >= LIMITED_FOR_ISOLATION) break;
    if (!chosen.includes(key)) chosen.push(key);
  }
  return chosen;
}

/** Two keys of one account first: an allowance shared by account shows only on such a pair. */
function accountMatesFirst(keys: readonly PlanKey[]): readonly PlanKey[] {
  const isMate = (key: PlanKey) =>
    key.account !== null && keys.some((other) => other !== key && other.account === key.account);
  const first = keys.find(isMate);
  if (first === undefined) return keys;
  const mates = keys.filter((key) => key.account === first.account);
  return [...mates, ...keys.filter((key) => !mates.includes(key))];
}

function plansOf(keys: readonly PlanKey[]): PlanKey[][] {
  const plans: PlanKey[][] = [];
  for (const key of keys) {
    const plan = plans.find((each) => each.some((other) => samePlan(other, key)));
    if (plan === undefined) plans.push([key]);
    else plan.push(key);
  }
  return plans;
}
