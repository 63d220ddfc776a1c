/**
 * The lag of this machine by all who can tell: a beat of the scenario's own event loop, answers
 * slower than the fast ones, the receiver. Where a target's clocks run fast, a busy machine would
 * otherwise pass for a target that is late.
 */

import type { ReceiverAccess } from "../../contract/delivery.ts";
import type { Exchange } from "../../contract/exchange.ts";
import { lagRecord } from "../../contract/lag.ts";
import { hostLagsOf } from "../client/receiver.ts";
import type { World } from "../world/world.ts";

export interface LagMeter {
  /** The worst lag of any moment in between, in ms. */
  between(fromMs: number, toMs: number): number;
  /** The lag that nine beats in ten stay below, in ms. */
  typical(): number;
  /** Counts an answer among the witnesses. */
  saw(exchange: Exchange): void;
  /** Resolves when the receiver has told what it saw so far. */
  hearAll(): Promise<void>;
  stop(): void;
}

/** Ours: shorter than any lag that matters, and no load. */
const BEAT_MS = 10;
const TYPICAL_SHARE = 0.9;
/** Ours: what the way and the work take without lag; a machine may lag in most of a run. */
const UNHINDERED_SHARE = 0.1;
/** Ours: the receiver tells of the last 10 s, so that nothing is missed. */
const ASK_EVERY_MS = 1_000;

/**
 * Goes on until it is stopped; an iteration of k6 does not end before. Without a receiver the
 * scenario's own beats and answers are all there is; on a target in real time nothing is measured,
 * as the tolerances dwarf it.
 */
export function machineLag(
  world: World,
  access: ReceiverAccess | null,
  timeScale: number,
): LagMeter {
  const [beats, answers, told] = [lagRecord(), lagRecord(), lagRecord()];
  const isMeasured = timeScale < 1;
  let isStopped = !isMeasured;
  const beat = async () => {
    while (!isStopped) {
      const fromMs = world.now();
      await world.delay(BEAT_MS);
      const toMs = world.now();
      beats.note({ fromMs, toMs, lagMs: Math.max(0, toMs - fromMs - BEAT_MS) });
    }
  };
  const hearAll = async () => {
    if (isMeasured && access !== null) told.hear(await hostLagsOf(world, access));
  };
  const ask = async () => {
    while (!isStopped) {
      await hearAll();
      await world.delay(ASK_EVERY_MS);
    }
  };
  void beat();
  // A receiver that is gone shows wherever deliveries are asked for.
  if (access !== null) ask().catch(() => {});
  return {
    between(fromMs, toMs) {
      const slowMs = answers.worst(fromMs, toMs) - answers.quantile(UNHINDERED_SHARE);
      return Math.max(beats.worst(fromMs, toMs), slowMs, told.worst(fromMs, toMs));
    },
    typical: () => beats.quantile(TYPICAL_SHARE),
    saw({ sentAtMs: fromMs, receivedAtMs: toMs }) {
      if (isMeasured) answers.note({ fromMs, toMs, lagMs: toMs - fromMs });
    },
    hearAll: () => hearAll().catch(() => {}),
    stop() {
      isStopped = true;
    },
  };
}
