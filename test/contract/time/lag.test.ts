/** Stalls of a machine in virtual time are told to the millisecond, by beats of any length. */

import { describe, expect, it } from "vitest";
import { beats } from "../../../clock/beats.ts";
import type { LagSpan } from "../../../contract/time/lag.ts";
import { lagRecord } from "../../../contract/time/lag.ts";
import { between, stream } from "../../../simulation/chance.ts";
import { fakeClock } from "../../probe/fake-clock.ts";

const SEEDS = Array.from({ length: 30 }, (_, at) => at + 1);

/** A machine that runs, and now and then stands still, as its own beat notes it. */
function history(seed: number, everyMs: number) {
  const draw = stream(seed, "stalls");
  const clock = fakeClock(1_000_000);
  const record = lagRecord();
  const end = beats(clock, everyMs, record.note);
  const stalls: LagSpan[] = [];
  for (let at = 0; at < 40; at += 1) {
    clock.advance(Math.floor(between(draw, 2 * everyMs, 20 * everyMs)));
    const fromMs = clock.nowMs();
    const lagMs = Math.floor(between(draw, everyMs, 3_000));
    clock.suspend(lagMs);
    stalls.push({ fromMs, toMs: clock.nowMs(), lagMs });
  }
  end();
  const endMs = clock.nowMs();
  clock.advance(10_000);
  return { record, stalls, endMs };
}

describe.each(SEEDS)("history %i", (seed) => {
  it.each([1, 10, 100])("by a beat of %i ms", (everyMs) => {
    const { record, stalls, endMs } = history(seed, everyMs);
    for (const { fromMs, toMs, lagMs } of stalls) {
      const measuredMs = record.worst(fromMs, toMs);
      // A beat that was on its way when the stall began is late by the rest of it alone.
      expect(measuredMs).toBeLessThanOrEqual(lagMs);
      expect(measuredMs).toBeGreaterThanOrEqual(lagMs - everyMs);
    }
    expect(record.worst(endMs + 1, Number.POSITIVE_INFINITY)).toBe(0);
  });
});

it("measures a stall to the millisecond with a beat of one", () => {
  const clock = fakeClock(0);
  const record = lagRecord();
  beats(clock, 1, record.note);
  clock.advance(100);
  clock.suspend(251);
  expect(record.worst(100, 351)).toBe(250);
});

describe("a record", () => {
  const span = (toMs: number, lagMs: number): LagSpan => ({ fromMs: toMs - lagMs, toMs, lagMs });

  it("forgets what ended long ago, and keeps what did not", () => {
    const record = lagRecord({ keptMs: 1_000 });
    for (let toMs = 0; toMs <= 10_000; toMs += 100) record.note(span(toMs, 7));
    const kept = record.between(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    expect(kept.length).toBeLessThanOrEqual(22);
    expect(record.between(9_000, 10_000).length).toBe(11);
  });

  it("takes no lag for one that is below the least, and tells what most stay below", () => {
    const record = lagRecord({ leastMs: 5 });
    for (const lagMs of [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]) record.note(span(100, lagMs));
    expect(record.quantile(0.9)).toBe(13);
    expect(record.quantile(0.1)).toBe(5);
    expect(lagRecord().quantile(0.5)).toBe(0);
  });

  it("takes what piled up in a lag for delayed by it, and nothing before or long after", () => {
    const record = lagRecord();
    record.note(span(1_000, 300));
    expect(record.worst(1_001, 2_000)).toBe(0);
    expect(record.worstFelt(1_001, 2_000)).toBe(300);
    expect(record.worstFelt(1_300, 2_000)).toBe(300);
    expect(record.worstFelt(1_301, 2_000)).toBe(0);
    expect(record.worstFelt(0, 699)).toBe(0);
  });

  it("adds up what lags in a time were beyond what is usual", () => {
    const record = lagRecord();
    for (const [toMs, lagMs] of [
      [500, 400],
      [1_000, 300],
      [1_200, 20],
      [2_000, 250],
    ] as const) {
      record.note(span(toMs, lagMs));
    }
    expect(record.sumAbove(20, 900, 1_900)).toBe(280 + 230);
    expect(record.sumAbove(20, 2_001, 3_000)).toBe(0);
  });

  it("hears each span of another once", () => {
    const record = lagRecord();
    record.hear([span(10, 5), span(20, 6)]);
    record.hear([span(20, 6), span(30, 7)]);
    expect(record.between(0, 30).map(({ lagMs }) => lagMs)).toEqual([5, 6, 7]);
  });
});
