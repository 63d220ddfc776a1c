/** A seeded edition of `npm run compare:simulate`: few false alarms, and a slower side is found. */

import { describe, expect, it } from "vitest";

import { play } from "./simulation/simulate.ts";

const NOISE = { deviation: 0.15, correlation: 0.5, shared: 0.5 };
const OPTIONS = { count: 20, roundsMax: 240, margin: 0.05, seed: 1 };

describe("a comparison under 15 % of autocorrelated noise", () => {
  it("calls equal sides neither worse nor better", () => {
    const played = play(NOISE, 1, OPTIONS);
    expect(played.filter(({ worse, better }) => worse || better)).toEqual([]);
  });

  it("finds 10 % more latency, and 20 % with fewer blocks", () => {
    const [some, more] = [play(NOISE, 1.1, OPTIONS), play(NOISE, 1.2, OPTIONS)];
    expect(some.filter(({ worse }) => worse)).toHaveLength(OPTIONS.count);
    expect(more.filter(({ worse }) => worse)).toHaveLength(OPTIONS.count);
    const blocks = (all: typeof some) => all.reduce((sum, each) => sum + each.blocks, 0);
    expect(blocks(more)).toBeLessThan(0.75 * blocks(some));
  });

  it("finds what became faster", () => {
    expect(play(NOISE, 0.8, { ...OPTIONS, count: 5 }).filter(({ worse }) => worse)).toEqual([]);
    expect(play(NOISE, 0.8, { ...OPTIONS, count: 5 }).every(({ better }) => better)).toBe(true);
  });
});
