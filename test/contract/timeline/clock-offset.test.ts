/** What times tell of a clock that was set once, and what two runs tell of the settings in each. */

import { describe, expect, it } from "vitest";
import type { ClockSet, Course } from "../../../contract/timeline/clock-offset.ts";
import { areSetApart, setOnce } from "../../../contract/timeline/clock-offset.ts";
import type { Interval } from "../../../contract/timeline/interval.ts";

const at = (lowMs: number, highMs = lowMs): Interval => ({ lowMs, highMs });

describe("the search for the moment at which a clock was set", () => {
  const SPAN_MS = 100_000;
  /** Both times were told at some time of the span, of which 0.02 s is drift: at 960 they agree. */
  const courses = (afterMs: number): readonly Course[] => [
    {
      moments: [
        [{ stated: at(0), at: at(0, SPAN_MS) }],
        [{ stated: at(afterMs), at: at(0, SPAN_MS) }],
      ],
      before: [1],
    },
  ];
  const set = (afterMs: number) => setOnce(courses(afterMs), at(1_000));

  it("finds one, and that there is none", () => {
    expect(set(2_000)).not.toBeNull();
    expect(set(0)).toBeNull();
  });

  it("ends though times barely disagree at each moment, and then says that it may be", () => {
    expect(set(958.5)).not.toBeNull();
  });
});

describe("a clock that one run says was set, and the next one as well", () => {
  const clock = (before: Interval, after: Interval, beganMs: number, more = {}): ClockSet => ({
    before: { ...before, atMs: beganMs },
    after: { ...after, atMs: beganMs + 20_000 },
    steady: null,
    ...more,
  });
  const FIRST = clock(at(-5, 5), at(-905, -895), 0);
  const NEXT_MS = 40_000;

  it("was set in each where the second began with what the first had left behind", () => {
    expect(areSetApart(FIRST, clock(at(-907, -897), at(-5, 5), NEXT_MS))).toBe(true);
  });

  it("was not where the second began as the first did", () => {
    expect(areSetApart(FIRST, clock(at(-5, 5), at(-905, -895), NEXT_MS))).toBe(false);
  });

  it("may have drifted in between", () => {
    const second = clock(at(-893, -880), at(-5, 5), NEXT_MS);
    expect(areSetApart(FIRST, second)).toBe(true);
    expect(areSetApart(FIRST, clock(at(-888, -880), at(-5, 5), NEXT_MS))).toBe(false);
  });

  it("was not where all that was submitted agrees with one offset", () => {
    const steady = (lowMs: number, highMs: number, atMs: number) => ({
      steady: { lowMs, highMs, atMs },
    });
    const far = clock(at(-320, -170), at(-750, -310), 0, steady(-320, -170, 20_000));
    const again = (own: object) => clock(at(-320, -170), at(-690, -310), NEXT_MS, own);
    expect(areSetApart(far, again(steady(-310, -165, 60_000)))).toBe(false);
    expect(areSetApart(far, again(steady(-650, -400, 60_000)))).toBe(true);
    expect(areSetApart(far, again({}))).toBe(true);
  });
});
