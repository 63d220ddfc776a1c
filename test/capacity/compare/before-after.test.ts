/** Recordings of before and after: what noise from run to run may feign, and what it may not. */

import { describe, expect, it } from "vitest";

import { judgeBeforeAfter, tooFewRecordings } from "../../../capacity/compare/before-after.ts";
import { evenMargins } from "../../../capacity/compare/metrics.ts";
import type { Block, Side } from "../../../capacity/compare/round.ts";
import { seededUniform } from "../../../contract/numbers/random.ts";

const MARGINS = evenMargins(0.05);
const BLOCKS = 32;

/** One run: its own level, and blocks of which each resembles the one before. */
function recording(side: Side, slowdown: number, runNoise: number, normal: () => number): Block[] {
  const level = Math.log(slowdown) + runNoise * normal();
  let drift = 0;
  return Array.from({ length: BLOCKS }, () => {
    drift = 0.5 * drift + Math.sqrt(0.75) * 0.05 * normal();
    const factor = Math.exp(level + drift);
    const times = { "job.p50": 400 * factor, "job.p95": 600 * factor, "job.p99": null };
    const answers = { "api.p50": 50 * factor, "api.p95": 80 * factor, "api.p99": null };
    const figures = { ...times, ...answers, throughput: 5, errors: 0 };
    return { side, figures, attempts: 25, failures: 0 };
  });
}

function claims(recordings: number, slowdown: number, runNoise: number, times: number): number {
  const random = seededUniform(7);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const side = (name: Side, factor: number) =>
    Array.from({ length: recordings }, () => recording(name, factor, runNoise, normal));
  return Array.from({ length: times }, (_, seed) => {
    const options = { margins: MARGINS, seed };
    return judgeBeforeAfter(side("base", 1), side("candidate", slowdown), options);
  }).filter((judged) => judged.some(({ claim }) => claim === "worse")).length;
}

describe("recordings of before and after", () => {
  it("of equal deployments are called worse in no more than 1 of 100", () => {
    for (const noise of [0.05, 0.15]) expect(claims(5, 1, noise, 300)).toBeLessThanOrEqual(3);
  });

  it("show a slowdown that is clear beside the noise from run to run", () => {
    expect(claims(5, 1.6, 0.05, 40)).toBe(40);
  });

  it("claim nothing of fewer than five a side, and still tell the interval", () => {
    expect(claims(4, 3, 0.05, 5)).toBe(0);
    const normal = () => 0.1;
    const sides = [[recording("base", 1, 0, normal)], [recording("candidate", 3, 0, normal)]];
    const [judged] = judgeBeforeAfter(sides[0] ?? [], sides[1] ?? [], {
      margins: MARGINS,
      seed: 1,
    });
    expect(judged?.claim).toBeNull();
    expect(Math.exp(judged?.interval.low ?? 0)).toBeCloseTo(3, 1);
    expect(tooFewRecordings(5, 4)).toMatch(/^5 recorded before and 4 after: .* expected 5 or more/);
    expect(tooFewRecordings(5, 5)).toBeNull();
  });
});
