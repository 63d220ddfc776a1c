/**
 * The lag of this machine by all who can tell: a beat of the scenario's own event loop, and the
 * receiver. It is added to what is tolerated, as a busy machine would otherwise pass for a target
 * that is late.
 */

import type { ReceiverAccess } from "../../contract/jobs/delivery.ts";
import type { PromisedTimes } from "../../contract/run/run-plan.ts";
import { lagRecord } from "../../contract/time/lag.ts";
import { hostLagsOf } from "../client/receiver.ts";
import type { World } from "../world/world.ts";

export interface LagMeter {
  /** The worst lag of any moment in between, in ms. */
  between(fromMs: number, toMs: number): number;
  /** The worst lag that may have delayed what was seen in between, in ms. */
  felt(fromMs: number, toMs: number): number;
  /** How late it was in all in between, beyond a beat each time, in ms: stalls add up. */
  inAll(fromMs: number, toMs: number): number;
  /** The lag that nine beats in ten stay below, in ms. */
  typical(): number;
  /** Resolves when the receiver has told what it saw so far. */
  hearAll(): Promise<void>;
  stop(): void;
}

/** Ours: finer than any lag that matters beside the shortest time that is promised, and no load. */
const BEATS = 50;
const TYPICAL_SHARE = 0.9;
/** Ours: the receiver tells of the last 10 s, so that nothing is missed. */
const ASK_EVERY_MS = 1_000;

/**
 * Goes on until it is stopped; an iteration of k6 does not end before. Without a receiver the
 * scenario's own beats are all there is.
 */
export function machineLag(
  world: World,
  { webhookAnswerMs }: PromisedTimes,
  access: ReceiverAccess | null,
): LagMeter {
  const [beats, told] = [lagRecord(), lagRecord()];
  const beatMs = webhookAnswerMs / BEATS;
  let isStopped = false;
  const beat = async () => {
    while (!isStopped) {
      const fromMs = world.now();
      await world.delay(beatMs);
      const toMs = world.now();
      beats.note({ fromMs, toMs, lagMs: Math.max(0, toMs - fromMs - beatMs) });
    }
  };
  /** An answer that fails is made up for by the next; a receiver that is gone shows elsewhere. */
  const hearAll = async () => {
    if (access === null) return;
    const spans = await hostLagsOf(world, access).catch(() => []);
    told.hear(spans);
  };
  const ask = async () => {
    while (!isStopped) {
      await hearAll();
      await world.delay(ASK_EVERY_MS);
    }
  };
  void beat();
  if (access !== null) void ask();
  return {
    between: (fromMs, toMs) => Math.max(beats.worst(fromMs, toMs), told.worst(fromMs, toMs)),
    felt: (fromMs, toMs) => Math.max(beats.worstFelt(fromMs, toMs), told.worstFelt(fromMs, toMs)),
    inAll: (fromMs, toMs) =>
      Math.max(beats.sumAbove(beatMs, fromMs, toMs), told.sumAbove(beatMs, fromMs, toMs)),
    typical: () => beats.quantile(TYPICAL_SHARE),
    hearAll,
    stop() {
      isStopped = true;
    },
  };
}
