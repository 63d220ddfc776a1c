/** Whose limit was met where several keys carried the load: each key's, each account's, all's. */

import { nowMs } from "../clock/system-clock.ts";
import { leftOf, sumOf } from "../contract/limits/budget.ts";
import { keyRate, planRate } from "../contract/limits/capacity-rates.ts";
import type { PlanKey } from "../contract/run/run-plan.ts";
import type { CapacityStep, Failure } from "../report/capacity-model.ts";
import { figure } from "../report/text.ts";
import { baseOf, firstToGive } from "./bottleneck.ts";
import { NO_ERRORS } from "./error-share.ts";
import { judgeStep } from "./judge-step.ts";
import type { CapacityOptions } from "./options.ts";
import type { runStep } from "./run-step.ts";
import { bracketOf } from "./search.ts";
import type { Search } from "./search-state.ts";
import { drainWithin, orderOf } from "./step-plan.ts";
import { whyNot } from "./time-wanted.ts";

/** Ours: where a rate and that of all are nearer to each other, none between them tells. */
const APART = 1.25;

interface Group {
  keys: readonly PlanKey[];
  /** Of the rate at the edge. */
  share: number;
}

/**
 * One of the keys, and all keys of its account: those that were refused most, where any were, or
 * have the most of the load.
 */
function groupsIn(
  keys: readonly PlanKey[],
  crowdings: Search["crowdings"],
): { key: Group; account: Group } {
  const total = keys.reduce((sum, key) => sum + keyRate(key), 0);
  const groupOf = (some: readonly PlanKey[]): Group => {
    return { keys: some, share: some.reduce((sum, key) => sum + keyRate(key), 0) / total };
  };
  const groups = keys.map((key) => ({
    key: groupOf([key]),
    account: groupOf(
      key.account === null ? [key] : keys.filter(({ account }) => account === key.account),
    ),
  }));
  const counts = crowdings.flatMap(({ crowding }) => crowding.openByKey);
  const isAny = counts.some(({ refused = 0 }) => refused > 0);
  const refusedOf = (some: readonly PlanKey[]) =>
    counts.reduce((sum, { key, refused = 0 }) => {
      return some.some(({ name }) => name === key) ? sum + refused : sum;
    }, 0);
  const of = (group: Group) => (isAny ? refusedOf(group.keys) : group.share);
  const weight = ({ key, account }: { key: Group; account: Group }) => of(account) + of(key);
  return groups.reduce((most, each) => (weight(each) > weight(most) ? each : most));
}

/**
 * Offers a part of the keys alone more than their part of the edge, and less than all of what they
 * may share it with: first a key, then those of its account. Null where there is nothing to tell.
 */
export async function whoseLimit(
  options: CapacityOptions,
  search: Search,
  runner: typeof runStep,
): Promise<string | null> {
  const { low, high } = bracketOf(search.attempts);
  const kind = firstToGive(search.steps, low)?.bottleneck;
  const isOver = search.end === "edge" || search.end === "time" || search.end === "budget";
  if (!isOver || options.keys.length < 2 || low === null || high === null) return null;
  if (kind !== "limiter" && kind !== "queue") return null;
  const [what, less] = kind === "limiter" ? ["limit", "lower"] : ["queue", "slower"];
  const shared = `share a ${what}, unless another key has a ${less} one`;
  const { key, account } = groupsIn(options.keys, kind === "limiter" ? search.crowdings : []);
  const named = namesOf(account.keys);
  if (account.keys.length > key.keys.length) {
    const offered = { group: key, below: account.share, high, kind };
    const alone = await offer(options, search, runner, offered);
    if (alone?.outcome === "fail") return `${toldBy(alone, key, low)}: each key has a ${what}`;
    if (alone === null) return null;
    if (account.share === 1) return `${toldBy(alone, key, low)}: keys ${named} ${shared}`;
  }
  const together = await offer(options, search, runner, { group: account, below: 1, high, kind });
  if (together === null) return null;
  const whose = account.keys.length > 1 ? "account" : "key, or account,";
  const told = toldBy(together, account, low);
  return together.outcome === "fail"
    ? `${told}: each ${whose} has a ${what}`
    : `${told}: all of the keys ${shared}`;
}

function toldBy({ ratePerSecond, outcome }: CapacityStep, { keys, share }: Group, low: number) {
  const kept = outcome === "pass" ? "kept" : "did not keep";
  const who = `${keys.length === 1 ? "key" : "keys"} ${namesOf(keys)} alone ${kept}`;
  const beside = `of ${figure(low * share)} beside the others`;
  return `${who} ${figure(ratePerSecond ?? 0)} a second, ${beside}`;
}

function namesOf(keys: readonly PlanKey[]): string {
  return keys.map(({ name }) => name).join(", ");
}

interface Offered {
  group: Group;
  /** Share of the edge of those that the group may share with. */
  below: number;
  high: number;
  /** What gave way with all keys: a step that fails otherwise tells nothing of that. */
  kind: Failure["bottleneck"];
}

/** Null where the plans, the time or the budget have no room for it, or it tells nothing. */
async function offer(
  options: CapacityOptions,
  search: Search,
  runner: typeof runStep,
  { group, below, high, kind }: Offered,
): Promise<CapacityStep | null> {
  const { keys, share } = group;
  const { of, receiver, beyondPlan, objectives, budget } = options;
  const rate = Number((high * Math.sqrt(share * below)).toPrecision(3));
  const hasRoom = beyondPlan || rate <= planRate(keys, of, receiver.access !== null);
  if (share * APART > below || !hasRoom) return null;
  const base = baseOf(search.steps);
  const own = { ...options, keys };
  const wanted = orderOf(own, "confirm", rate, base, base, search);
  const order = drainWithin(wanted, search.startedAtMs + options.timeMs - nowMs(), base);
  const lacking = whyNot(own, search, order);
  if (lacking !== null) {
    const left = lacking === "time" ? "--time" : "the budget";
    search.notes.push(`whose limit it is was not tried: ${left} left no room for that`);
    return null;
  }
  const what = `${rate} ${of} a second of ${namesOf(keys)} alone`;
  const seconds = order.durationMs / 1_000;
  options.onEvent({ type: "step-started", phase: "confirm", what, seconds });
  const run = await runner(own, order, leftOf(budget, search.spent), `alone-${keys.length}`);
  search.spent = sumOf(search.spent, run.spent);
  if (run.measurement === null || options.signal.aborted) return null;
  const given = { objectives, base, below: NO_ERRORS, rhythms: search.rhythms };
  const step = judgeStep(order, run.measurement, { phase: "confirm", ...given });
  options.onEvent({ type: "step-ended", step });
  const { outcome, failures } = step;
  const isTold = outcome === "pass" || (outcome === "fail" && failures[0]?.bottleneck === kind);
  return isTold ? step : null;
}
