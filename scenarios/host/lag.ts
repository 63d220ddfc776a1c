/**
 * The suite's own lag, by a heartbeat of its event loop: it is added to what is tolerated, as a
 * busy machine would otherwise pass for a target that is late.
 */

import type { World } from "../world/world.ts";

export interface LagMeter {
  /** The worst lag of any moment in between, in ms. */
  between(fromMs: number, toMs: number): number;
  /** The lag that nine beats in ten stay below, in ms. */
  typical(): number;
  /** Counts what another observer measured. */
  heard(stretch: Stretch): void;
  /** Resolves when other observers have told what they saw so far. */
  hearAll(): Promise<void>;
  stop(): void;
}

const TYPICAL_SHARE = 0.9;

export interface Stretch {
  fromMs: number;
  toMs: number;
  lagMs: number;
}

/** Starts to beat, once in `beatMs`. */
export function lagMeter(world: World, beatMs: number): LagMeter {
  const beats: Stretch[] = [];
  const others: Stretch[] = [];
  let stopped = false;
  const beat = async () => {
    while (!stopped) {
      const fromMs = world.now();
      await world.delay(beatMs);
      beats.push({ fromMs, toMs: world.now(), lagMs: Math.max(0, world.now() - fromMs - beatMs) });
    }
  };
  void beat();
  return {
    between(fromMs, toMs) {
      return [...beats, ...others]
        .filter((each) => each.toMs >= fromMs && each.fromMs <= toMs)
        .reduce((worst, { lagMs }) => Math.max(worst, lagMs), 0);
    },
    typical: () => quantile(beats, TYPICAL_SHARE),
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
