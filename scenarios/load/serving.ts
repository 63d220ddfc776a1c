/** When a service answered a load: neither it nor what else is on its machine stood still then. */

import { STALL_SHARE } from "../../contract/judges/webhook/case.ts";
import { STARVED_MS } from "../../contract/judges/webhook/silence.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import type { RunPlan } from "../../contract/run/run-plan.ts";

/** Ours: so many slots of time are as long as a sender waits for an answer. */
const SLOTS = 8;
/** At either end of that, times may be off by as many as make a sender miss an answer. */
const SLOTS_OFF = SLOTS * STALL_SHARE;
/** Ours: hours of real time. */
const SLOTS_MAX = 20_000;

/** Slots in which a request was both sent and answered; the latest of them. */
export type Serving = Set<number>;

type Times = RunPlan["times"];

export function noteServing(serving: Serving, exchange: Exchange, times: Times): void {
  const slot = Math.floor(slotsUntil(exchange.sentAtMs, times));
  if (slot !== Math.floor(slotsUntil(exchange.receivedAtMs, times))) return;
  serving.add(slot);
  const [oldest = slot] = serving;
  if (serving.size > SLOTS_MAX) serving.delete(oldest);
}

/** Whether it did in the midst of the time for which who misses that answer stands still. */
export function wasServing(
  serving: Serving,
  { arrivedAtMs, answeredAtMs }: { arrivedAtMs: number; answeredAtMs: number },
  times: Times,
): boolean {
  const from = Math.ceil(slotsUntil(answeredAtMs, times)) + SLOTS_OFF;
  const to = Math.floor(slotsUntil(arrivedAtMs, times)) + SLOTS - SLOTS_OFF;
  if (((to - from) * times.webhookAnswerMs) / SLOTS < STARVED_MS) return false;
  return Array.from({ length: to - from }, (_, index) => from + index).some((slot) =>
    serving.has(slot),
  );
}

function slotsUntil(atMs: number, { webhookAnswerMs }: Times): number {
  return (atMs / webhookAnswerMs) * SLOTS;
}
