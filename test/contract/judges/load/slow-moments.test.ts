/** A service has slow moments: a third of a load may have more of them than another by chance. */

import { describe, expect, it } from "vitest";
import { backlogOf, thirdsOf } from "../../../../contract/judges/load/reading.ts";
import { stableClaim } from "../../../../contract/judges/load/stable.ts";
import { decide } from "../../../../contract/judging/decide.ts";
import type { Draw } from "../../../../simulation/chance.ts";
import { between, exponential, stream } from "../../../../simulation/chance.ts";
import type { SmallJob } from "./shares.ts";
import { drawLoad, seenOf } from "./shares.ts";
import { IDLE } from "./violations.ts";

const SEEDS = Array.from({ length: 100 }, (_, at) => at);
const MARGIN = 0.2;
const USUAL_MS = 80;

/** The verdict on a load of four jobs a second, of which the n-th is answered after so long. */
function verdictOf(seed: number, answers: (jobs: readonly SmallJob[], draw: Draw) => number[]) {
  const draw = stream(seed, "moments");
  const load = drawLoad(seed, 0, between(draw, 60, 120));
  const answeredMs = answers(load.jobs, draw);
  const jobs = load.jobs.map((job, at) => ({ ...job, submitMs: answeredMs[at] ?? 0 }));
  const seen = seenOf({ ...load, jobs }, jobs, 1);
  const own = { doubt: null, lag: IDLE };
  return decide(stableClaim(thirdsOf(seen), backlogOf(seen), MARGIN, own, null)).verdict;
}

/** Moments of some seconds, slow and not, in turn. */
function inMoments(jobs: readonly SmallJob[], draw: Draw): number[] {
  let isSlow = draw() < 0.5;
  let untilMs = 0;
  return jobs.map(({ sentAtMs }) => {
    while (sentAtMs > untilMs) {
      isSlow = !isSlow;
      untilMs = Math.max(untilMs, jobs[0]?.sentAtMs ?? 0) + 1_000 + exponential(draw, 5_000);
    }
    return USUAL_MS * between(draw, 0.8, 1.2) * (isSlow ? 2.6 : 1);
  });
}

const evenly = (jobs: readonly SmallJob[], draw: Draw) =>
  jobs.map(() => USUAL_MS * between(draw, 0.8, 1.2));

const slowingDown = (jobs: readonly SmallJob[], draw: Draw) =>
  evenly(jobs, draw).map((ms, at) => ms + at);

describe("load.stable", () => {
  it("is broken by no slow moments", () => {
    expect(SEEDS.filter((seed) => verdictOf(seed, inMoments) === "broken")).toEqual([]);
  });

  it("is kept where nothing changes, and broken where each answer takes 1 ms longer", () => {
    expect(new Set(SEEDS.map((seed) => verdictOf(seed, evenly)))).toEqual(new Set(["kept"]));
    expect(new Set(SEEDS.map((seed) => verdictOf(seed, slowingDown)))).toEqual(new Set(["broken"]));
  });
});
