/** The arithmetic of every kind of rate limiter, in virtual time. */

import { describe, expect, it } from "vitest";
import { CHOICES, fillChoices } from "../../reference/choices.ts";
import { createLimiter } from "../../reference/limiters/index.ts";
import type { Limiter } from "../../reference/limiters/limiter.ts";

/** The free plan, in the figures of the specification. */
const FREE = { sustained: 10, burst: 20, refusedCount: false };
const KINDS = CHOICES.limiter.values;
/** A time that is aligned to no window. */
const START = 1_700_000_000_700;

/**
 * How many milliseconds before the others one request comes alone, and how many are between those;
 * whether refused ones count; how many there are at the least, so that either instance is last.
 */
const WAYS_TO_REFUSAL = [130, 777, 1_499, 2_600].flatMap((aloneAt) =>
  [1, 11, 47].flatMap((stepMs) =>
    [false, true].flatMap((refusedCount) =>
      [40, 41].map((least) => [aloneAt, stepMs, refusedCount, least] as const),
    ),
  ),
);

/** A burst, and what waits for up to 400 ms. */
function mostAtOnce(kind: (typeof KINDS)[number]): number {
  return FREE.burst + (kind === "delaying-bucket" ? 0.4 * FREE.sustained : 0);
}

function admitted(limiter: Limiter, times: readonly number[]): number {
  return times.filter((time) => limiter.take(time).admitted).length;
}

function every(stepMs: number, fromMs: number, lengthMs: number): number[] {
  return Array.from({ length: Math.floor(lengthMs / stepMs) }, (_, n) => fromMs + n * stepMs);
}

describe.each(KINDS)("a limiter of the kind %s", (kind) => {
  it("admits a rested key's burst of 20 at once, and not the one after what may wait", () => {
    const limiter = createLimiter(kind, FREE);
    const most = mostAtOnce(kind);
    expect(admitted(limiter, Array(most).fill(START))).toBe(most);
    expect(limiter.take(START).admitted).toBe(false);
  });

  it("admits 10 a second under steady pressure, after the burst", () => {
    const limiter = createLimiter(kind, FREE);
    const overloaded = admitted(limiter, every(41, START, 60_000));
    expect(overloaded).toBeGreaterThanOrEqual(0.95 * 600);
    expect(overloaded).toBeLessThanOrEqual(600 + 2 * 20);
  });

  it("never refuses an even pace at 0.95 of the plan", () => {
    const limiter = createLimiter(kind, FREE);
    const pace = every(1000 / 9.5, START, 30_000);
    expect(admitted(limiter, pace)).toBe(pace.length);
  });

  it("tells a wait after which a request is admitted, and not a ms before it", () => {
    for (const phase of [0, 130, 777, 1_499, 1_999]) {
      const times = every(7, START + phase, 900);
      const fresh = () => {
        const limiter = createLimiter(kind, FREE);
        let last = { admitted: true, waitMs: 0 };
        for (const time of times) last = limiter.take(time);
        return { limiter, last };
      };
      const lastMs = times.at(-1) ?? START;
      const { limiter, last } = fresh();
      expect(last.admitted).toBe(false);
      expect(limiter.take(lastMs + last.waitMs + 0.01).admitted).toBe(true);
      expect(fresh().limiter.take(lastMs + last.waitMs - 1).admitted).toBe(false);
    }
  });

  it("has forgotten everything after two windows of silence", () => {
    const limiter = createLimiter(kind, FREE);
    admitted(limiter, every(5, START, 3_000));
    expect(admitted(limiter, Array(20).fill(START + 3_000 + 4_000))).toBe(20);
  });
});

describe("two instances of a limiter, asked in turn", () => {
  it.each(KINDS)("admit together what one does: %s", (kind) => {
    const rested = createLimiter(kind, FREE, "two");
    const most = mostAtOnce(kind);
    expect(admitted(rested, Array(most).fill(START))).toBe(most);
    expect(rested.take(START).admitted).toBe(false);
    const overloaded = admitted(createLimiter(kind, FREE, "two"), every(41, START, 60_000));
    expect(overloaded).toBeGreaterThanOrEqual(0.95 * 600);
    expect(overloaded).toBeLessThanOrEqual(600 + 2 * 20);
  });

  it.each(KINDS.flatMap((kind) => [20, 21].map((burst) => [kind, burst] as const)))(
    "tell waits after which either admits: %s with a burst of %i",
    (kind, burst) => {
      for (const [aloneAt, stepMs, refusedCount, least] of WAYS_TO_REFUSAL) {
        const limiter = createLimiter(kind, { sustained: 10, burst, refusedCount }, "two");
        limiter.take(START - aloneAt);
        let nowMs = START;
        let last = limiter.take(nowMs);
        for (let sent = 0; sent < least || last.admitted; sent++) {
          nowMs += stepMs;
          last = limiter.take(nowMs);
        }
        nowMs += Math.ceil(last.waitMs / 1_000) * 1_000 + 1;
        expect(limiter.take(nowMs)).toMatchObject({ admitted: true });
      }
    },
  );
});

describe("a limiter that counts refused requests", () => {
  it.each(["token-bucket", "gcra", "sliding-log", "sliding-counter"] as const)(
    "%s starves a key under pressure, and tells a wait that works",
    (kind) => {
      const limiter = createLimiter(kind, { ...FREE, refusedCount: true });
      admitted(limiter, every(20, START, 10_000));
      expect(admitted(limiter, every(20, START + 10_000, 10_000))).toBeLessThan(60);
      const { waitMs } = limiter.take(START + 20_000);
      expect(limiter.take(START + 20_000 + waitMs + 0.01).admitted).toBe(true);
    },
  );
});

describe("choices", () => {
  it("refuses an unknown limiter by name, with the known ones", () => {
    const given = { limiter: "leaky" } as unknown as Parameters<typeof fillChoices>[0];
    expect(() => fillChoices(given)).toThrow(/limiter: unknown value "leaky"; expected: token-bu/);
  });

  it("refuses an unknown choice", () => {
    const given = { colour: "red" } as unknown as Parameters<typeof fillChoices>[0];
    expect(() => fillChoices(given)).toThrow(/unknown choice "colour"; expected one of: noValue/);
  });
});
