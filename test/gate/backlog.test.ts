/** A backlog that outlasts the load, on a service that takes the newest jobs first. */

import { expect, it } from "vitest";
import { z } from "zod";
import { wholeMs } from "../../reference/clock.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** Of 600 jobs: so few of them end late that jobs are not expected to live longer for it. */
const LOAD = { jobsPerSecond: 50, durationMs: 12_000, mix: { success: 1 } };
const SEED = 1;
/** The service's clocks run so much faster: its limits are over in a second or two. */
const TIME_SCALE = 0.02;

function judgeLoad(fault: Fault, keys: readonly string[] | null = null) {
  return simulateGate({
    seed: SEED,
    service: { timeScale: TIME_SCALE, faults: [fault.name] },
    otherFaults: [fault],
    profile: "quick",
    only: ["load.no-losses"],
    target: (target) => {
      if (target.load === null) throw new Error("the embedded service has a load");
      return { ...target, load: { ...target.load, ...LOAD, keys: keys ?? target.load.keys } };
    },
  });
}

/** One leaves the queue in each span, which is shorter than three turns of fresh jobs. */
const SHRINKING = { jobs: 30, fromMs: 18_500, everyMs: 3_000 };

/** The last of the backlog leaves first; jobs that come meanwhile do not wait at all. */
const shrinking: Fault["create"] = ({ clock }) => {
  let [startedMs, submitted, held] = [Number.NaN, 0, 0];
  return {
    queueMs(waitMs) {
      submitted += 1;
      if (submitted === 1) startedMs = wholeMs(clock);
      if (submitted % 20 !== 0 || held === SHRINKING.jobs) return waitMs;
      held += 1;
      const leavesMs = SHRINKING.fromMs + (SHRINKING.jobs - held) * SHRINKING.everyMs;
      return startedMs + leavesMs - wholeMs(clock);
    },
  };
};

it("is not lost while it shrinks, though fresh jobs overtake it", async () => {
  const title = "Takes the newest";
  const newestFirst = faultOf("load.no-losses", "near-newest-first", title, shrinking);
  const { findings, notes } = await judgeLoad(newestFirst);
  expect(notes.join("; ")).toContain("fresh ones show whether these are passed over");
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
});

/** Ours: longer than the whole run. */
const STUCK_MS = 300_000;

/** One job of a key is never run, while of another key's none is from the tenth on. */
const queuesByKey: Fault["create"] = () => {
  const submitted = new Map<string, number>();
  return {
    queueMs(waitMs, { keyName }) {
      const count = (submitted.get(keyName) ?? 0) + 1;
      submitted.set(keyName, count);
      const isStuck = keyName === "pro-a" ? count === 3 : count >= 10;
      return isStuck ? STUCK_MS : waitMs;
    },
  };
};

it("is not lost where one key's fresh jobs pass, but another's do not", async () => {
  const byKey = faultOf("load.no-losses", "near-queues-by-key", "A queue a key", queuesByKey);
  const { measurements } = await judgeLoad(byKey, ["pro-a", "pro-b"]);
  const { lost, inFlight } = left.parse(measurements.load?.[0]);
  expect(lost).toBe(1);
  expect(inFlight).toBeGreaterThan(1);
});

const left = z.object({ lost: z.number(), inFlight: z.number() });
