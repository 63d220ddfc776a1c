/**
 * Thousands of simulated comparisons: how often equal sides are called worse, how often a slower
 * one is found, and how many blocks that takes. Prints tables; no service is involved.
 *
 * npm run compare:simulate -- [--count N] [--margin SHARE] [--rounds N] [--seed N]
 * [--model 0..4]
 */

import { parseArgs } from "node:util";

import { quantileOf } from "../../../../capacity/statistics/moments.ts";
import type { NoiseModel } from "./noise.ts";
import { play } from "./simulate.ts";
import { wilson } from "./wilson.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    margin: { type: "string", default: "0.05" },
    rounds: { type: "string", default: "240" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
  },
});
const count = Number(values.count);
const options = {
  count,
  roundsMax: Number(values.rounds),
  margin: Number(values.margin),
  seed: Number(values.seed),
};

/** The first is the one of the objective; the others show what other noise would do. */
const MODELS: readonly (NoiseModel & { title: string })[] = [
  { title: "half of it shared", deviation: 0.15, correlation: 0.5, shared: 0.5 },
  { title: "all of it shared", deviation: 0.15, correlation: 0.5, shared: 1 },
  { title: "each side its own", deviation: 0.15, correlation: 0.5, shared: 0 },
  { title: "half shared, long waves", deviation: 0.15, correlation: 0.8, shared: 0.5 },
  { title: "half shared, quiet", deviation: 0.05, correlation: 0.5, shared: 0.5 },
];
const SLOWDOWNS = [1, 1.1, 1.2];

function row(model: NoiseModel & { title: string }, slowdown: number): string {
  const played = play(model, slowdown, options);
  const share = (name: "worse" | "better" | "same") => {
    const hits = played.filter((each) => each[name]).length;
    const { low, high } = wilson(hits, count);
    return `${hits} of ${count} [${(100 * low).toFixed(2)}, ${(100 * high).toFixed(2)}] %`;
  };
  const blocks = played.map((each) => each.blocks);
  const cells = [
    `${model.title}: ${100 * model.deviation} %, correlation ${model.correlation}`,
    `+${Math.round(100 * (slowdown - 1))} %`,
    share("worse"),
    share("better"),
    share("same"),
    `${quantileOf(blocks, 0.5)} (${quantileOf(blocks, 0.1)} to ${quantileOf(blocks, 0.9)})`,
  ];
  return `| ${cells.join(" | ")} |`;
}

process.stdout.write(
  "| noise of a block | latency | worse | better | same in all | blocks: median (p10 to p90) |\n" +
    "|---|---|---|---|---|---|\n",
);
const chosen = values.model === undefined ? MODELS : MODELS.slice(Number(values.model)).slice(0, 1);
for (const model of chosen) {
  for (const slowdown of SLOWDOWNS) process.stdout.write(`${row(model, slowdown)}\n`);
}
