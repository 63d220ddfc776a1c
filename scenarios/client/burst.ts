/**
 * Spends what a key may send at once after a rest, with requests that start nothing: a step of
 * seconds would otherwise live on the burst, and take it for what the plan sustains.
 */

import { refusedForMs } from "../../contract/answers/retry-after.ts";
import { forgottenWithinMs } from "../../contract/limits/capacity-rates.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";
import type { World } from "../world/world.ts";
import { delayUntil } from "../world/world.ts";
import { planKey } from "./plan.ts";
import { send } from "./send.ts";

/**
 * Ours: so many times as fast as the step a key meets any limit below the step's rate within a
 * window, even where two bursts fit into one; a higher limit is no matter of this step.
 */
const FAST = 3;
/** Ours: less is sent until a refusal is known, so that little is owed where refusals count. */
const SLOW = 1.5;
/** Ours: an overload that was counted is forgotten by then. */
const REFUSALS_MAX = 3;
/** Waits are told in whole seconds, rounded up. Spec §8. */
const TOLD_UNIT_MS = 1_000;

/**
 * How long it may take to spend a burst, in ms: to be admitted, where each request waits for its
 * answer, and to be refused twice.
 */
export function spendingMsMax(windowMs: number, answerMs: number): number {
  return REFUSALS_MAX * (answerMs + windowMs + TOLD_UNIT_MS) + (2 + FAST) * windowMs;
}

type Time = Pick<World, "now" | "delay">;

/** One request: null where it is admitted, otherwise the wait in ms that it is told. */
export type Ask = () => Promise<number | null>;

export interface BurstSpending {
  /** What the step is going to send a second. */
  perSecond: number;
  /** Within that time a limiter forgets a burst. */
  windowMs: number;
  /** Of the step; Infinity as long as that is not known. */
  start: { readonly atMs: number };
}

/**
 * Resolves once the limit was met, or none is near. Until the step starts the key is then asked at
 * the step's own rate, as each moment of rest would earn allowance again.
 */
export async function spendBurst(time: Time, ask: Ask, spending: BurstSpending): Promise<void> {
  const { perSecond, windowMs, start } = spending;
  await untilAdmitted(time, ask);
  const refused = await untilRefused(time, ask, perSecond * FAST, windowMs);
  if (refused === 0) return;
  await time.delay((refused * 1_000) / perSecond);
  await untilRefused(time, ask, perSecond * SLOW, windowMs);
  const hold = () => void ask();
  void evenly(time, perSecond, hold, () => time.now() >= start.atMs);
}

/** A key of the plan asks for its account. */
export function askWith(world: World, plan: RunPlan, key: string): Ask {
  const mostMs = forgottenWithinMs([planKey(plan, key)]);
  return async () => {
    const exchange = await send(world, plan, { method: "GET", route: "me", key });
    return exchange.status === 429 ? refusedForMs(exchange, mostMs + TOLD_UNIT_MS) : null;
  };
}

async function untilAdmitted(time: Time, ask: Ask): Promise<void> {
  for (let tries = 0; tries < REFUSALS_MAX; tries += 1) {
    const waitMs = await ask();
    if (waitMs === null) return;
    await time.delay(waitMs);
  }
}

/** How many were sent from the first refused one on; 0 where none was within that time. */
async function untilRefused(time: Time, ask: Ask, perSecond: number, ms: number): Promise<number> {
  const endMs = time.now() + ms;
  let sent = 0;
  let first: number | null = null;
  const next = () => {
    const number = sent;
    sent += 1;
    void ask().then((waitMs) => {
      if (waitMs !== null) first ??= number;
    });
  };
  await evenly(time, perSecond, next, () => first !== null || time.now() >= endMs);
  return first === null ? 0 : sent - first;
}

async function evenly(
  time: Time,
  perSecond: number,
  next: () => void,
  isOver: () => boolean,
): Promise<void> {
  const startMs = time.now();
  for (let n = 1; !isOver(); n += 1) {
    next();
    await delayUntil(time, startMs + (n * 1_000) / perSecond);
  }
}
