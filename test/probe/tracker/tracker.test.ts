/** Transitions lie between the bounds that the three witnesses leave. */

import { describe, expect, it } from "vitest";
import type { State } from "../../../contract/states.ts";
import { learnOffset, NOTHING_KNOWN, offsetAt } from "../../../contract/timeline/clock-offset.ts";
import { missedBetween } from "../../../contract/timeline/missed.ts";
import type { Observation, Poll, Stamps } from "../../../contract/timeline/observation.ts";
import { NO_STAMPS } from "../../../contract/timeline/observation.ts";
import { endOf, NEW_TRACK, observe, stateOf } from "../../../contract/timeline/track.ts";
import { transitionsOf } from "../../../contract/timeline/transitions.ts";

function poll(sentAtMs: number, state: State, stamps: Stamps = NO_STAMPS): Poll {
  return { kind: "poll", sentAtMs, receivedAtMs: sentAtMs + 10, state, stamps };
}

const ACCEPTED: Poll = { ...poll(1_000, "queued"), kind: "accepted" };

function track(...observations: Observation[]) {
  return [ACCEPTED, ...observations].reduce(observe, NEW_TRACK);
}

const at = (ms: number) => ({ lowMs: ms, highMs: ms + 1 });

describe("by polls alone", () => {
  it("a transition lies between the last poll of the old state and the first of the new", () => {
    const seen = track(poll(1_500, "queued"), poll(2_000, "running"), poll(3_000, "completed"));
    expect(transitionsOf(seen, null)).toMatchObject([
      { from: "queued", to: "running", at: { lowMs: 1_500, highMs: 2_010 }, source: "poll" },
      { from: "running", to: "completed", at: { lowMs: 2_000, highMs: 3_010 } },
    ]);
  });

  it("the time in a state is at least zero and at most from first to last bound", () => {
    const seen = track(poll(1_500, "queued"), poll(2_000, "running"), poll(3_000, "completed"));
    expect(transitionsOf(seen, null)[0]?.stay).toEqual({ lowMs: 490, highMs: 1_010 });
  });

  it("a state that no poll saw is not invented", () => {
    const seen = track(poll(3_000, "completed"));
    expect(transitionsOf(seen, null).map(({ to }) => to)).toEqual(["completed"]);
  });

  it("an older answer that arrives late does not turn the job back", () => {
    const seen = track(poll(2_000, "completed"), poll(1_500, "running"));
    expect(endOf(seen)).toBe("completed");
    expect(transitionsOf(seen, null).map(({ to }) => to)).toEqual(["running", "completed"]);
  });

  it("a later poll that shows an earlier state is counted, and changes nothing", () => {
    const seen = track(poll(2_000, "running"), poll(3_000, "queued"));
    expect(stateOf(seen)).toBe("running");
    expect(seen.regressions).toBe(1);
  });
});

describe("with the server's own times", () => {
  const stamps = { created: at(501_005), started: at(501_300), finished: at(502_500) };
  const offset = { lowMs: 499_995, highMs: 500_005, atMs: 2_500 };

  it("the bounds are the stated time moved by the clock offset", () => {
    const seen = track(poll(3_000, "completed", stamps));
    const [running, completed] = transitionsOf(seen, offset);
    expect(running?.source).toBe("server");
    expect(running?.at.lowMs).toBeCloseTo(1_295, 0);
    expect(running?.at.highMs).toBeCloseTo(1_306, 0);
    expect(completed?.stay.lowMs).toBeCloseTo(1_199, 0);
    expect(completed?.stay.highMs).toBeCloseTo(1_201, 0);
  });

  it("without an offset they tell how long the job was in a state, if not when", () => {
    const [running, completed] = transitionsOf(track(poll(3_000, "completed", stamps)), null);
    expect(running).toMatchObject({ source: "poll", at: { lowMs: 1_000, highMs: 3_010 } });
    expect(completed?.stay.lowMs).toBeCloseTo(1_199, 0);
    expect(completed?.stay.highMs).toBeCloseTo(1_201, 0);
  });

  it("a start that is stated of a job which only starts up is not the beginning of its run", () => {
    const starting = poll(1_400, "starting", { ...NO_STAMPS, started: at(501_300) });
    const seen = track(starting, poll(3_000, "running", stamps));
    expect(transitionsOf(seen, offset).at(-1)).toMatchObject({
      to: "running",
      source: "poll",
      at: { lowMs: 1_400, highMs: 3_010 },
    });
  });

  it("a stated time that no witness confirms is not believed", () => {
    const lie = { ...stamps, finished: at(509_000) };
    const seen = track(poll(2_000, "running"), poll(3_000, "completed", lie));
    expect(transitionsOf(seen, offset).at(-1)).toMatchObject({
      source: "poll",
      at: { lowMs: 2_000, highMs: 3_010 },
    });
  });
});

describe("with a webhook", () => {
  function delivery(arrivedAtMs: number, firedMs: number | null = null): Observation {
    const fired = firedMs === null ? null : at(firedMs);
    return { kind: "delivery", arrivedAtMs, state: "completed", stamps: NO_STAMPS, fired };
  }

  const offset = { lowMs: 499_995, highMs: 500_005, atMs: 2_500 };

  it("the end lies before its arrival", () => {
    const seen = track(poll(2_000, "running"), delivery(2_400), poll(2_450, "completed"));
    expect(transitionsOf(seen, null).at(-1)).toMatchObject({
      source: "webhook",
      at: { lowMs: 2_000, highMs: 2_400 },
    });
  });

  it("of a late one it lies before the time at which it fired", () => {
    const seen = track(poll(2_000, "running"), poll(7_000, "completed"), delivery(6_900, 502_200));
    const end = transitionsOf(seen, offset).at(-1);
    expect(end).toMatchObject({ source: "webhook", at: { lowMs: 2_000 } });
    expect(end?.at.highMs).toBeCloseTo(2_206, 0);
  });

  it("a firing that was seen to be too early is not believed", () => {
    const seen = track(poll(2_000, "running"), poll(7_000, "completed"), delivery(6_900, 501_000));
    expect(transitionsOf(seen, offset).at(-1)?.at).toEqual({ lowMs: 2_000, highMs: 6_900 });
  });

  it("it alone is no evidence of the end", () => {
    expect(endOf(track(delivery(2_400)))).toBeNull();
  });
});

describe("after a gap", () => {
  it("what was seen before it is published as it was", () => {
    const gap = { kind: "gap", atMs: 2_500 } as const;
    const seen = track(
      poll(1_500, "queued"),
      poll(2_000, "running"),
      gap,
      poll(9_000, "completed"),
    );
    expect(transitionsOf(seen, null)).toMatchObject([
      { to: "running", at: { lowMs: 1_500, highMs: 2_010 }, acrossGap: false },
      { to: "completed", acrossGap: true },
    ]);
  });

  it("the service's own times still tell how long it was in a state", () => {
    const gap = { kind: "gap", atMs: 60_000 } as const;
    const stamps = { created: at(501_005), started: at(501_300), finished: at(502_500) };
    const offset = { lowMs: 445_000, highMs: 445_010, atMs: 60_100 };
    const [running, completed] = transitionsOf(
      track(gap, poll(60_100, "completed", stamps)),
      offset,
    );
    expect([running?.acrossGap, completed?.acrossGap]).toEqual([false, false]);
    expect(completed?.stay.highMs).toBeCloseTo(1_201, 0);
  });

  it("an answer to a request of before it says nothing of when it was asked", () => {
    const gap = { kind: "gap", atMs: 5_000 } as const;
    const seen = track(gap, { ...poll(4_000, "running"), receivedAtMs: 5_100 });
    expect(transitionsOf(seen, null)).toMatchObject([{ to: "running", acrossGap: true }]);
  });

  it("a state that began in it is marked, and has a time that is a number", () => {
    const gap = { kind: "gap", atMs: 2_000 } as const;
    const seen = track(gap, poll(60_000, "starting"), poll(61_000, "completed"));
    const [, completed] = transitionsOf(seen, null);
    expect(completed).toMatchObject({ from: "starting", to: "completed", acrossGap: true });
    expect(Number.isFinite(completed?.stay.highMs)).toBe(true);
  });

  it("what was seen by polls is marked, so that downtime becomes no latency", () => {
    const seen = track({ kind: "gap", atMs: 2_000 }, poll(60_000, "completed"));
    expect(transitionsOf(seen, null).map(({ acrossGap }) => acrossGap)).toEqual([true]);
  });
});

describe("the clock offset", () => {
  const window = (sentAtMs: number, tookMs: number) => {
    return { sentAtMs, receivedAtMs: sentAtMs + tookMs };
  };

  it("is the intersection of what each submission allows", () => {
    const first = learnOffset(NOTHING_KNOWN, at(1_550), window(1_000, 100));
    const both = learnOffset(first, at(2_520), window(2_000, 40));
    const offset = offsetAt(both, 2_040);
    expect(offset?.lowMs).toBeCloseTo(480, 0);
    expect(offset?.highMs).toBeCloseTo(521, 0);
  });

  it("holds for no job that it was contradicted since", () => {
    let known = NOTHING_KNOWN;
    for (let n = 0; n < 10; n += 1) known = learnOffset(known, at(n * 100), window(n * 100, 10));
    expect(offsetAt(known, 1_000, 900)).not.toBeNull();
    known = learnOffset(known, at(901_000), window(1_000, 10));
    expect(offsetAt(known, 1_010)).not.toBeNull();
    expect(offsetAt(known, 1_010, 900)).toBeNull();
  });

  it("one wrong timestamp does not move it, three of them are a clock that was set", () => {
    let known = NOTHING_KNOWN;
    for (let n = 0; n < 10; n += 1) known = learnOffset(known, at(n * 100), window(n * 100, 10));
    known = learnOffset(known, at(901_000), window(1_000, 10));
    expect(offsetAt(known, 1_010)?.highMs).toBeLessThan(20);
    for (let n = 11; n < 13; n += 1) {
      known = learnOffset(known, at(900_000 + n * 100), window(n * 100, 10));
    }
    expect(known.steps).toBe(1);
    expect(offsetAt(known, 1_310)?.lowMs).toBeGreaterThan(899_000);
  });
});

describe("missed states", () => {
  it("a completed job must have run; whether it was seen starting is learnt", () => {
    const sightings = () => ({ seen: 1, jobs: 4 });
    expect(missedBetween("queued", "completed", "B", sightings)).toEqual([
      { state: "starting", probability: 0.625 },
      { state: "running", probability: 1 },
    ]);
  });

  it("a state that no job showed is ever less likely", () => {
    const likely = (jobs: number) =>
      missedBetween("queued", "failed", "A", () => ({ seen: 0, jobs }))[0]?.probability;
    expect([likely(0), likely(8)]).toEqual([0.5, 0.1]);
  });

  it("a cancelled job never ran", () => {
    expect(missedBetween("queued", "cancelled", "A", () => ({ seen: 1, jobs: 1 }))).toEqual([]);
  });
});
