/** Whatever happens, bounds contain the truth and nothing is told twice or without evidence. */

import { describe, expect, it } from "vitest";
import { drawnCases } from "../../drawn-cases.ts";
import { simulate } from "./simulation.ts";

/** In blocks, so that a failing one names few seeds. */
const BLOCKS = Array.from({ length: 10 }, (_, block) => block);
const SEEDS_A_BLOCK = 120;

const SEEDS = Array.from({ length: 150 }, (_, seed) => seed);

describe("the tracker in simulated worlds", () => {
  it.each(drawnCases("blocks", BLOCKS, 2))("keeps its promises in block %d of seeds", (block) => {
    const seeds = Array.from({ length: SEEDS_A_BLOCK }, (_, n) => block * SEEDS_A_BLOCK + n);
    const failing = seeds.flatMap((seed) => {
      const first = simulate(seed).problems[0];
      return first === undefined ? [] : [`npm run probe:simulate -- --seed ${seed} # ${first}`];
    });
    expect(failing).toEqual([]);
  });

  it("sees that a service which shows jobs as they were breaks them", () => {
    const failing = BLOCKS.filter((seed) => simulate(seed, 3_000).problems.length > 0);
    expect(failing.length).toBeGreaterThan(5);
  });

  it("learns how far views lag behind, and widens its bounds to where the truth is", () => {
    const ended = SEEDS.flatMap((seed) => simulate(seed, 1_500).ended);
    const missing = (jobs: typeof ended) =>
      jobs.filter(({ holds }) => !holds).length / Math.max(1, jobs.length);
    const learnt = ended.filter(({ lagMs }) => lagMs > 0);
    expect(learnt.length).toBeGreaterThan(60);
    expect(missing(learnt)).toBeLessThan(0.03);
    expect(missing(ended.filter(({ lagMs }) => lagMs === 0))).toBeGreaterThan(0.3);
  });

  it("learns of no lag where views are fresh", () => {
    const ended = SEEDS.flatMap((seed) => simulate(seed).ended);
    expect(ended.filter(({ lagMs }) => lagMs > 0)).toEqual([]);
  });

  it("has jobs, transitions and gaps to judge", () => {
    const results = BLOCKS.map((seed) => simulate(seed));
    const sum = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((total, result) => total + of(result), 0);
    expect(sum(({ jobs }) => jobs)).toBeGreaterThan(50);
    expect(sum(({ transitions }) => transitions)).toBeGreaterThan(100);
    expect(simulate(11)).toEqual(simulate(11));
  });
});
