/** Simulated blocks: noise that is alike from block to block, of the place and of each side. */

import type { Figures } from "../../../../capacity/compare/metrics.ts";
import type { Block, Side } from "../../../../capacity/compare/round.ts";
import { orderByLot } from "../../../../capacity/compare/round.ts";

export interface NoiseModel {
  /** Standard deviation of the logarithm of a block's figure. */
  deviation: number;
  /** Correlation of a block's noise with the next block's. */
  correlation: number;
  /** Share of the variance that both sides have in common, as they run in one place. */
  shared: number;
}

/** Of a block's own variance what all percentiles have in common. */
const COMMON_SHARE = 0.7;
const MEDIAN_MS = 1_000;
const API_MS = 100;
const RATIOS = { "job.p50": 1, "job.p95": 2, "job.p99": 3 } as const;

/** Standard normal values by Box and Muller. */
function normalFrom(random: () => number): () => number {
  return () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random()));
    return radius * Math.cos(2 * Math.PI * random());
  };
}

/** A stationary first-order autoregressive process with variance 1. */
function process(normal: () => number, correlation: number): () => number {
  let value = normal();
  return () => {
    const now = value;
    value = correlation * value + Math.sqrt(1 - correlation ** 2) * normal();
    return now;
  };
}

type Noise = () => Record<string, number>;

/** One draw a block: each metric's noise, partly in common. */
function noiseOf(normal: () => number, correlation: number, names: readonly string[]): Noise {
  const common = process(normal, correlation);
  const own = names.map((name) => [name, process(normal, correlation)] as const);
  return () => {
    const together = Math.sqrt(COMMON_SHARE) * common();
    return Object.fromEntries(
      own.map(([name, next]) => [name, together + Math.sqrt(1 - COMMON_SHARE) * next()]),
    );
  };
}

const NAMES = ["job.p50", "job.p95", "job.p99", "api.p50", "api.p95", "api.p99", "throughput"];

/** Rounds without end; the candidate's jobs take `slowdown` times as long. */
export function* simulatedRounds(
  model: NoiseModel,
  slowdown: number,
  random: () => number,
): Generator<Block[]> {
  const normal = normalFrom(random);
  const place = noiseOf(normal, model.correlation, NAMES);
  const sides: Record<Side, Noise> = {
    base: noiseOf(normal, model.correlation, NAMES),
    candidate: noiseOf(normal, model.correlation, NAMES),
  };
  for (;;) {
    yield orderByLot(random).map((side) => {
      const here = place();
      const own = { base: sides.base(), candidate: sides.candidate() }[side];
      const noise = (name: string) =>
        model.deviation *
        (Math.sqrt(model.shared) * (here[name] ?? 0) +
          Math.sqrt(1 - model.shared) * (own[name] ?? 0));
      return blockOf(side, side === "candidate" ? slowdown : 1, noise);
    });
  }
}

function blockOf(side: Side, slowdown: number, noise: (name: string) => number): Block {
  const job = (name: keyof typeof RATIOS) =>
    MEDIAN_MS * RATIOS[name] * slowdown * Math.exp(noise(name));
  const api = (name: string) => API_MS * Math.exp(noise(name));
  const figures: Figures = {
    "job.p50": job("job.p50"),
    "job.p95": job("job.p95"),
    "job.p99": job("job.p99"),
    "api.p50": api("api.p50"),
    "api.p95": api("api.p95"),
    "api.p99": api("api.p99"),
    throughput: 20 * Math.exp(noise("throughput")),
    errors: 0,
  };
  return { side, figures, attempts: 200, failures: 0 };
}
