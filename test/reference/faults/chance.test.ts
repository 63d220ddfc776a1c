/** Rare faults strike by chance, and not on schedule. */

import { describe, expect, it } from "vitest";
import { chosenOneIn, oneIn } from "../../../reference/faults/fault.ts";
import type { Job } from "../../../reference/jobs/job.ts";
import { seededRandom } from "../../probe/tracker/random.ts";

const strikes = (n: number, seed: number, calls: number) => {
  const strike = oneIn(n, seededRandom(seed));
  return Array.from({ length: calls }, strike);
};

describe("what strikes 1 time in n", () => {
  it.each([2, 20, 200])("has a share of 1 in %d", (n) => {
    const hits = strikes(n, 1, 400 * n).filter(Boolean).length;
    expect(Math.abs(hits - 400)).toBeLessThan(100);
  });

  it("strikes two times in a row as often as chance has it", () => {
    const all = strikes(5, 1, 10_000);
    const pairs = all.filter((hit, at) => hit && all[at + 1]).length;
    expect(Math.abs(pairs - 400)).toBeLessThan(100);
  });

  it("strikes the same calls with the same seed, and others with another one", () => {
    expect(strikes(5, 1, 100)).toEqual(strikes(5, 1, 100));
    expect(strikes(5, 1, 100)).not.toEqual(strikes(5, 2, 100));
  });

  it("may spare the first n calls", () => {
    const spared = Array.from(
      { length: 1_000 },
      (_, seed) => !strikes(10, seed, 10).includes(true),
    );
    expect(Math.abs(spared.filter(Boolean).length - 349)).toBeLessThan(80);
  });

  it("sticks to its choice for a job", () => {
    const chosen = chosenOneIn(3, seededRandom(1));
    const jobs = Array.from({ length: 100 }, () => ({}) as Job);
    expect(jobs.map(chosen)).toEqual(jobs.map(chosen));
  });
});
