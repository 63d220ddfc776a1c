/**
 * The suite's own lag, by a heartbeat of its event loop and by answers slower than the fast ones:
 * where a target's clocks run fast, a busy machine would otherwise pass for a target that is late.
 */

import type { Exchange } from "../../contract/exchange.ts";
import type { World } from "../world/world.ts";

export interface LagMeter {
  /** The worst lag of any moment in between, in ms. */
  between(fromMs: number, toMs: number): number;
  /** The lag that nine beats in ten stay below, in ms. */
  typical(): number;
  /** Counts an answer among the witnesses. */
  saw(exchange: Exchange): void;
  /** Counts what another observer measured. */
  heard(stretch: Stretch): void;
  /** Resolves when other observers have told what they saw so far. */
  hearAll(): Promise<void>;
  stop(): void;
}

/** Ours: shorter than any lag that matters, and no load. */
const BEAT_MS = 10;
const TYPICAL_SHARE = 0.9;
/** Ours: what the way and the work take without lag; a machine may lag in most of a run. */
const UNHINDERED_SHARE = 0.1;

export interface Stretch {
  fromMs: number;
  toMs: number;
  lagMs: number;
}

/** Starts to beat. On a target in real time nothing is measured, as the tolerances dwarf it. */
export function lagMeter(world: World, timeScale: number): LagMeter {
  const beats: Stretch[] = [];
  const answers: Stretch[] = [];
  const others: Stretch[] = [];
  let stopped = timeScale >= 1;
  const beat = async () => {
    while (!stopped) {
      const fromMs = world.now();
      await world.delay(BEAT_MS);
      beats.push({ fromMs, toMs: world.now(), lagMs: Math.max(0, world.now() - fromMs - BEAT_MS) });
    }
  };
  void beat();
  return {
    between(fromMs, toMs) {
      const leastMs = quantile(answers, UNHINDERED_SHARE);
      const slow = answers.map((each) => ({ ...each, lagMs: each.lagMs - leastMs }));
      return [...beats, ...slow, ...others]
        .filter((each) => each.toMs >= fromMs && each.fromMs <= toMs)
        .reduce((worst, { lagMs }) => Math.max(worst, lagMs), 0);
    },
    typical: () => quantile(beats, TYPICAL_SHARE),
    saw({ sentAtMs, receivedAtMs }) {
      if (timeScale >= 1) return;
      answers.push({ fromMs: sentAtMs, toMs: receivedAtMs, lagMs: receivedAtMs - sentAtMs });
    },
    heard(stretch) {
      others.push(stretch);
    },
    hearAll: async () => {},
    stop() {
      stopped = true;
    },
  };
}

function quantile(stretches: readonly Stretch[], share: number): number {
  const sorted = stretches.map(({ lagMs }) => lagMs).sort((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
}
