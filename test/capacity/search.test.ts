/** Which step comes next: bounds that hold whatever a service does, and an end of every search. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Attempt } from "../../capacity/search.ts";
import { nextStep } from "../../capacity/search.ts";

const LIMITS = { startRate: 5, maxRate: 300 };

/** Searches with outcomes from a list, in turn; returns the runs. */
function searchBy(
  outcomeOf: (rate: number, n: number) => Attempt["outcome"],
  limits = LIMITS,
): Attempt[] {
  const attempts: Attempt[] = [];
  for (;;) {
    const next = nextStep(attempts, limits);
    if (next.done) return attempts;
    const { phase, rate } = next;
    attempts.push({ phase, rate, outcome: outcomeOf(rate, attempts.length), throughput: null });
  }
}

const outcomes = fc.array(fc.constantFrom("pass", "fail", "withdrawn" as const), {
  minLength: 50,
  maxLength: 50,
});

describe("a search", () => {
  it("ends, and never goes beyond its bounds or more than twice what was kept", () => {
    fc.assert(
      fc.property(outcomes, (list) => {
        const attempts = searchBy((_, n) => list[n] as Attempt["outcome"]);
        expect(attempts.length).toBeLessThanOrEqual(40);
        for (const [index, { rate }] of attempts.entries()) {
          expect(rate).toBeLessThanOrEqual(LIMITS.maxRate);
          const kept = attempts.slice(0, index).filter(({ outcome }) => outcome === "pass");
          const highest = Math.max(LIMITS.startRate / 2, ...kept.map((each) => each.rate));
          expect(rate).toBeLessThanOrEqual(highest * 2 * 1.001);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("that keeps all ends with three runs at the highest rate, whatever its digits", () => {
    fc.assert(
      fc.property(fc.double({ min: 6, max: 300, noNaN: true }), (maxRate) => {
        const attempts = searchBy(() => "pass", { ...LIMITS, maxRate });
        const highest = attempts.filter(({ rate }) => rate > maxRate * 0.999);
        expect(highest.filter(({ phase }) => phase === "confirm")).toHaveLength(3);
        expect(highest.filter(({ phase }) => phase === "search").length).toBeLessThan(2);
        expect(Math.max(...attempts.map(({ rate }) => rate))).toBeLessThanOrEqual(maxRate);
      }),
      { examples: [[20.01]] },
    );
  });

  it("has three runs at each end of a narrow bracket, for any edge", () => {
    fc.assert(
      fc.property(fc.double({ min: 1, max: 250, noNaN: true }), (edge) => {
        const attempts = searchBy((rate) => (rate <= edge ? "pass" : "fail"));
        const rates = attempts.map(({ rate }) => rate);
        const low = Math.max(...rates.filter((rate) => rate <= edge));
        const high = Math.min(...rates.filter((rate) => rate > edge));
        expect(high / low).toBeLessThan(1.06);
        const full = attempts.filter(({ phase }) => phase !== "search");
        for (const end of [low, high]) {
          expect(full.filter(({ rate }) => rate === end).length).toBeGreaterThanOrEqual(3);
        }
      }),
    );
  });

  it("makes a step again that said nothing, and gives up after six in a row", () => {
    const attempts = searchBy((_, n) => (n < 2 ? "pass" : "withdrawn"));
    expect(attempts.map(({ rate }) => rate)).toEqual([5, 10, 20, 20, 20, 20, 20, 20]);
  });

  it("goes down from a first rate that fails, and gives up far below it", () => {
    const attempts = searchBy(() => "fail");
    expect(attempts.map(({ rate }) => rate)).toEqual([5, 2.5, 1.25, 0.625, 0.3125]);
  });

  it("goes beyond an end at which runs contradict each other", () => {
    const at = (rate: number, outcome: Attempt["outcome"]): Attempt => {
      return { phase: "confirm", rate, outcome, throughput: null };
    };
    const low = [at(39, "pass"), at(39, "pass"), at(39, "pass")];
    const high = [at(40, "fail"), at(40, "pass"), at(40, "fail")];
    expect(nextStep([...low, ...high], LIMITS)).toMatchObject({ phase: "confirm", rate: 42.2 });
    const beyond = [at(42.2, "fail"), at(42.2, "fail"), at(42.2, "fail")];
    expect(nextStep([...low, ...high, ...beyond], LIMITS)).toEqual({ done: true, end: "edge" });
  });

  it("goes up carefully from a rate at which runs have failed", () => {
    const at = (rate: number, outcome: Attempt["outcome"]): Attempt => {
      return { phase: "confirm", rate, outcome, throughput: null };
    };
    const runs = [at(38, "pass"), at(40, "fail"), at(40, "pass"), at(40, "pass")];
    expect(nextStep(runs, LIMITS)).toMatchObject({ phase: "search", rate: 42.4 });
    const higher = [...runs, at(42.4, "pass")];
    expect(nextStep(higher, LIMITS)).toMatchObject({ rate: 47.49 });
  });

  it("doubts a short step that was kept beyond what overload completes", () => {
    const short = { phase: "search", throughput: null } as const;
    const runs: Attempt[] = [
      { ...short, rate: 2.5, outcome: "fail", throughput: 1 },
      { ...short, rate: 1.25, outcome: "pass" },
    ];
    expect(nextStep(runs, LIMITS)).toEqual({ done: false, phase: "confirm", rate: 1.25 });
    const again: Attempt = { phase: "confirm", rate: 1.25, outcome: "pass", throughput: null };
    const kept = [...runs, again];
    // A rate that is kept so surely contradicts the overload: was the service slower then?
    expect(nextStep(kept, LIMITS)).toEqual({ done: false, phase: "confirm", rate: 2.5 });
    const failed: Attempt = { phase: "confirm", rate: 2.5, outcome: "fail", throughput: 1 };
    expect(nextStep([...kept, failed], LIMITS)).toMatchObject({ phase: "bisect" });
  });

  it("starts where overload showed what is completed", () => {
    const attempt = { phase: "search", throughput: null } as const;
    const next = nextStep(
      [
        { ...attempt, rate: 20, outcome: "pass" },
        { ...attempt, rate: 80, outcome: "fail", throughput: 40 },
      ],
      LIMITS,
    );
    expect(next).toEqual({ done: false, phase: "bisect", rate: 39 });
  });
});
