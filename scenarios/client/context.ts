/** What all steps of the scenario share: the plan, paced requests, the budget, jobs seen so far. */

import { refusedForMs } from "../../contract/answers/retry-after.ts";
import { detailTold } from "../../contract/decode/detail-told.ts";
import type { Asked } from "../../contract/judges/expected-status.ts";
import {
  hasFailed,
  PERSISTENT_ATTEMPTS,
  UNAUTHORIZED,
} from "../../contract/judges/expected-status.ts";
import type { KeyWatch, PlanRefusals } from "../../contract/judges/load/within-plan.ts";
import {
  countAnswer,
  newKeyWatch,
  PLAN_REFUSALS,
  watchRequest,
} from "../../contract/judges/load/within-plan.ts";
import { declaredLimit } from "../../contract/plans.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { isDisturbed, isSuccess } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { Random } from "../world/random.ts";
import { seededRandom } from "../world/random.ts";
import type { Reporter } from "../world/reporter.ts";
import type { World } from "../world/world.ts";
import type { FollowedJob } from "./followed/followed-job.ts";
import type { Pacer } from "./pacer.ts";
import { HOLD_MS_MAX, pacerFor } from "./pacer.ts";
import { endpointOf, Patience } from "./patience.ts";
import { planKey } from "./plan.ts";
import { RefusedKeys, Revocation, revokedText } from "./revocation.ts";
import type { Call } from "./send.ts";
import { send } from "./send.ts";
import type { Spending } from "./spending.ts";
import { spendingOf } from "./spending.ts";

export interface Context {
  world: World;
  plan: RunPlan;
  random: Random;
  spending: Spending;
  /** Key of the careful client; null where the plan has none. */
  caller: string | null;
  /** Jobs submitted so far, but those that may have been affected by a cancel. */
  jobs: FollowedJob[];
  /** Every identifier that the suite was issued, cancelled jobs included. */
  ownIds: Set<string>;
  /** What went wrong in steps that others build on. */
  failures: string[];
  /** Every answer 401, whichever step met it. */
  unauthorized: Exchange[];
  /** Keys of the plan that were refused so often that they seemed revoked. */
  refusedKeys: RefusedKeys;
  /** Answers 429 to keys of declared plans, though they are paced. */
  refusals: PlanRefusals;
  /** Until then every wait must be over. */
  deadlineAtMs: number;
  /** Nobody is answered any more: what is left is to tell what was seen. */
  isGone: boolean;
  /** Until when the service was there as far as known; what did not come later says nothing. */
  answeredUntilMs: () => number;
  /** Promises of the scenario that the plan asks for. */
  asked: readonly PromiseId[];
  asks(...promises: readonly PromiseId[]): boolean;
  /** What a worker's detail told, for who reads all runs. */
  toldDetail: Reporter["detail"];
  /** A remark on what the spec leaves open; told once. */
  note(text: string): void;
  progress(text: string): void;
  /** One request at the key's pace; a 429 is honoured and asked again, at most twice. */
  ask(call: Call): Promise<Exchange>;
  /** The same, asked again while there is no answer or a 5xx; all attempts. */
  askAgain(call: Call): Promise<Asked>;
  /** Resolves when the key's pacer would let a small burst through at once. */
  rest(key: string | null): Promise<void>;
}

/** Ours: how often a 429 is honoured before it is left alone. */
export const LIMITED_REPEATS = 2;
/** Ours: "a short delay" after an unexpected error. Spec §7. */
const DISTURBED_WAIT_MS = 300;
/** Ours: in which an instance may know no key, as while it loads them. */
const UNKNOWN_KEY_MS = 1_000;
/** Ours: how often what may be away is asked again. */
const AWAY_WAIT_MS = 2_000;
/** Ours: requests without a key of the plan are as few as on a small plan. */
const KEYLESS_PACE = { sustained: 50, burst: 100 };
/** Ours: a rest longer than that buys nothing. */
const REST_MAX_MS = 2_000;

export function contextOf(
  world: World,
  plan: RunPlan,
  asked: readonly PromiseId[],
  report: Reporter,
  deadlineAtMs: number,
): Context {
  const paced = new Map<string | null, Paced>();
  const noted = new Set<string>();
  const patience = new Patience();
  const context: Context = {
    world,
    plan,
    random: seededRandom(plan.seed ^ (world.now() & 0x7fffffff)),
    spending: spendingOf(
      plan.budget,
      (text) => context.note(text),
      () => world.now(),
    ),
    caller: plan.roles.caller,
    jobs: [],
    ownIds: new Set(),
    failures: [],
    unauthorized: [],
    refusedKeys: new RefusedKeys(),
    refusals: PLAN_REFUSALS.empty(),
    deadlineAtMs,
    isGone: false,
    answeredUntilMs: () => world.now(),
    asked,
    asks: (...promises) => promises.some((promise) => asked.includes(promise)),
    toldDetail: (told) => report.detail(told),
    note(text) {
      if (noted.has(text)) return;
      noted.add(text);
      report.note(text);
    },
    progress: (text) => report.progress(text),
    ask: (call) => askPaced(context, pacedKey(call.foreignKeyValue ? null : call.key), call),
    askAgain: (call) => askUntilAnswered(context, call, patience),
    rest: (key) => world.delay(key === null ? 0 : restMs(plan, key)),
  };
  const pacedKey = (key: string | null): Paced => {
    const known = paced.get(key);
    if (known !== undefined) return known;
    const limits = key === null ? null : planKey(plan, key);
    const isTaken = limits !== null && limits.state !== "revoked";
    const made = {
      pacer: pacerFor(world, limits ?? KEYLESS_PACE),
      // Whoever comes with a revoked key may be held off, as one who guesses keys.
      watch: newKeyWatch(isTaken ? declaredLimit(limits) : null),
      revocation: new Revocation(),
      taken: isTaken ? limits.name : null,
    };
    paced.set(key, made);
    return made;
  };
  return context;
}

/** A key's pace, and its requests of late, by which a 429 is judged. */
interface Paced {
  pacer: Pacer;
  watch: KeyWatch;
  revocation: Revocation;
  /** The key's name, where the service should take it. */
  taken: string | null;
}

async function askPaced(
  context: Context,
  { pacer, watch, revocation, taken }: Paced,
  call: Call,
): Promise<Exchange> {
  const { world, plan } = context;
  for (let repeats = 0; ; repeats += 1) {
    await pacer.turn();
    const passage = watchRequest(watch, world.now());
    const exchange = await send(world, plan, call);
    passage.receivedAtMs = exchange.receivedAtMs;
    countAnswer(context.refusals, watch, exchange);
    revocation.rested();
    if (revocation.answered(exchange) && taken !== null) context.note(revokedText(taken));
    if (taken !== null) context.refusedKeys.answered(taken, exchange);
    if (exchange.status === UNAUTHORIZED) context.unauthorized.push(exchange);
    const told = call.route === "worker" ? detailTold(exchange) : null;
    if (told !== null) context.toldDetail(told);
    if (exchange.status !== 429 || repeats === LIMITED_REPEATS) return exchange;
    // A service may limit those without a key of its own, too, by a limit that is not shown.
    if (call.key === null) pacer.slowDown();
    pacer.holdUntil(world.now() + refusedForMs(exchange, HOLD_MS_MAX));
    context.note(
      `a paced client got 429 on ${call.method} ${call.route}, and waited for Retry-After`,
    );
  }
}

async function askUntilAnswered(context: Context, call: Call, patience: Patience): Promise<Asked> {
  const attempts: Exchange[] = [];
  for (;;) {
    const exchange = await context.ask(call);
    attempts.push(exchange);
    const isOver =
      attempts.length >= PERSISTENT_ATTEMPTS || context.world.now() > context.deadlineAtMs;
    if (exchange.status === 429) return { attempts };
    if (!isDisturbed(exchange)) return await withWitness(context, call, exchange, attempts);
    if (isOver && !hasFailed(exchange)) return { attempts };
    if (isOver) return await askOnceMore(context, call, attempts, patience);
    await context.world.delay(DISTURBED_WAIT_MS);
  }
}

/**
 * With what another endpoint answers; where that answers well, only this one may be away, or all
 * that writes, as while a store changes over: it is asked until no accident takes that long.
 */
async function askOnceMore(
  context: Context,
  call: Call,
  attempts: Exchange[],
  patience: Patience,
): Promise<Asked> {
  const { world } = context;
  const witness = await askElsewhere(context, call, context.caller);
  const { meanwhile } = witness;
  if (meanwhile === undefined || isDisturbed(meanwhile)) return { attempts, ...witness };
  const endpoint = endpointOf(call);
  const untilMs = patience.until(endpoint, attempts[0]?.sentAtMs ?? world.now(), world.now());
  const isInTime = untilMs <= context.deadlineAtMs;
  for (;;) {
    const exchange = await context.ask(call);
    attempts.push(exchange);
    if (!isDisturbed(exchange)) return await withWitness(context, call, exchange, attempts);
    const leftMs = untilMs - world.now();
    if (!isInTime || leftMs <= 0) break;
    await world.delay(Math.min(AWAY_WAIT_MS, leftMs));
  }
  if (attempts.length <= PERSISTENT_ATTEMPTS + 1) return { attempts, ...witness };
  patience.giveUp(endpoint);
  // The others may have gone down meanwhile.
  return { attempts, ...(await askElsewhere(context, call, context.caller)) };
}

/**
 * The attempts; where an active key was refused, with whether another endpoint takes it. Where that
 * does, the key is tried here once more, as some instances may have known no key for a moment.
 */
export async function withWitness(
  context: Pick<Context, "plan" | "ask" | "world">,
  call: Call,
  { status }: Exchange,
  attempts: readonly Exchange[],
): Promise<Asked> {
  const { key } = call;
  const isOwn = key !== null && call.foreignKeyValue === undefined;
  if (status !== UNAUTHORIZED || !isOwn) return { attempts };
  if (planKey(context.plan, key).state === "revoked") return { attempts };
  const witness = await askElsewhere(context, call, key);
  if (witness.meanwhile === undefined || !isSuccess(witness.meanwhile)) {
    return { attempts, ...witness };
  }
  await context.world.delay(UNKNOWN_KEY_MS);
  return { attempts: [...attempts, await context.ask(call)], ...witness };
}

/** Another endpoint tells whether an answer is this one's own, or all of the service gives it. */
async function askElsewhere(context: Pick<Context, "ask">, { route }: Call, key: string | null) {
  if (key === null) return {};
  const other = route === "me" ? "workers" : "me";
  return { meanwhile: await context.ask({ method: "GET", route: other, key }) };
}

/** The time in which the pacer's slack has come back. */
function restMs(plan: RunPlan, name: string): number {
  const { sustained, burst } = planKey(plan, name);
  if (sustained === null || burst === null) return 0;
  return Math.min(REST_MAX_MS, (burst / sustained) * 500);
}
