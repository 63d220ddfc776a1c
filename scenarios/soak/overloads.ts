/**
 * Goes beyond a key's limit while a load is on, and after it: limits hold then as before. Spec §8.
 * Reads use the key up; submissions that follow them are refused, and cost nothing.
 */

import type { OverloadSeen } from "../../contract/judges/steps.ts";
import { declaredLimit } from "../../contract/plans.ts";
import type { PlanKey, RunPlan, WorkerPart } from "../../contract/run/run-plan.ts";
import { countAccepted } from "../client/accepted-by-mistake.ts";
import type { Catalogue } from "../client/catalogue.ts";
import { needsCredits } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";
import { malformedBodies } from "../client/inputs/wrong-bodies.ts";
import { planKey } from "../client/plan.ts";
import type { Call } from "../client/send.ts";
import { send } from "../client/send.ts";
import type { Soak } from "../load/soak.ts";
import { isOnAtShare } from "./load-progress.ts";

/**
 * Ours: a window on the clock may begin anew meanwhile, and lets two bursts through; of what comes
 * after them one is refused by any limiter.
 */
const BURSTS = 2.5;
/** Ours: an overload is small beside the load. */
const REQUESTS_MAX = 300;
const READ = { method: "GET", route: "me" } as const;
/** Ours: so many when the key has requests left, and as many when it has none. */
const SUBMISSIONS = 2;
/** Ours: shares of the load's time, by which it is in full swing. */
const AT_SHARES = [0.4, 0.8] as const;

/** While the load is offered, with a key that has no part in it. */
export async function overloadMeanwhile(
  soak: Soak,
  known: Catalogue,
): Promise<readonly OverloadSeen[]> {
  const { context, plan } = soak;
  const name = plan.roles.exhausted;
  if (name === null || !canOverload(planKey(plan, name))) return [];
  const overloads: OverloadSeen[] = [];
  for (const share of AT_SHARES) {
    if (!(await isOnAtShare(soak, share))) return overloads;
    overloads.push(await overload(context, name, workerToRefuse(plan, known)));
  }
  return overloads;
}

/** After it, with that loaded key of the caller's account that takes the fewest requests. */
export async function overloadAfterLoad(context: Context): Promise<readonly OverloadSeen[]> {
  const { plan, caller } = context;
  const loaded = plan.roles.loaded.map((name) => planKey(plan, name));
  const account = loaded.find(({ name }) => name === caller)?.account ?? null;
  const keys = loaded.filter((key) => canOverload(key) && key.account === account);
  const burst = (key: PlanKey) => declaredLimit(key)?.burst ?? 0;
  const [key] = keys.sort((a, b) => burst(a) - burst(b));
  return key === undefined ? [] : [await overload(context, key.name)];
}

/** One whose runs an account without credits can't have; null where there is none. */
function workerToRefuse({ workers }: RunPlan, known: Catalogue): WorkerPart | null {
  const { success, ...others } = workers;
  const parts = [success, ...Object.values(others)].flatMap((part) => part ?? []);
  return parts.find(({ id }) => needsCredits(known, id)) ?? null;
}

function canOverload(key: PlanKey): boolean {
  const limit = declaredLimit(key);
  return limit !== null && requestsBeyond(limit.burst) <= REQUESTS_MAX;
}

function requestsBeyond(burst: number): number {
  return Math.ceil(BURSTS * burst);
}

/** `toRefuse`: a worker for whose jobs the key's account lacks the credits. */
async function overload(
  context: Context,
  name: string,
  toRefuse: WorkerPart | null = null,
): Promise<OverloadSeen> {
  const { world, plan } = context;
  const key = planKey(plan, name);
  const limit = declaredLimit(key) ?? { sustained: 0, burst: 0 };
  const ask = (call: Omit<Call, "key">) => send(world, plan, { ...call, key: name });
  const askAll = (calls: readonly Omit<Call, "key">[]) => Promise.all(calls.map(ask));
  const bodies = bodiesFor(plan, toRefuse);
  const reads = Array.from({ length: requestsBeyond(limit.burst) }, () => READ);
  const [within, shots, beyond] = await Promise.all([
    askAll(bodies),
    askAll(reads),
    askAll(bodies),
  ]);
  for (const submission of [...within, ...beyond]) countAccepted(context, submission);
  const isPoor = toRefuse !== null;
  return { key: name, plan: key.plan ?? "enterprise", limit, isPoor, within, shots, beyond };
}

/** Of an account without credits what would run; of another one what is refused in any case. */
function bodiesFor({ workers }: RunPlan, toRefuse: WorkerPart | null) {
  const worker = toRefuse ?? workers.success ?? Object.values(workers)[0];
  if (worker === undefined) return [];
  const { id, input } = worker;
  const bodies =
    toRefuse === null ? malformedBodies(input).map(({ body }) => body) : [JSON.stringify(input)];
  return Array.from({ length: SUBMISSIONS }, (_, at) => {
    const body = bodies[at % bodies.length] ?? "";
    return { method: "POST", route: "submit", parameter: id, body } as const;
  });
}
