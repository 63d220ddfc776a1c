/** A backlog that outlasts the load, against a real service that takes the newest jobs first. */

import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { faultOf } from "../../reference/faults/fault.ts";
import type { Hooks } from "../../reference/hooks.ts";
import { startReference } from "../../reference/service.ts";
import { judgeSoak } from "./judge-soak.ts";

const MARGIN = { timeout: 300_000 };
/** Of 600 jobs: so few of them end late that jobs are not expected to live longer for it. */
const LOAD = { jobsPerSecond: 50, durationMs: 12_000, mix: { success: 1 } };
/**
 * One leaves the queue in each span, which is shorter than three turns of fresh jobs; some are left
 * when a machine that is busy with other work has waited for longer than an idle one.
 */
const SHRINKING = { jobs: 30, fromMs: 18_500, everyMs: 3_000 };

/** The last of the backlog leaves first; jobs that come meanwhile do not wait at all. */
function shrinking(): Partial<Hooks> {
  let [startedMs, submitted, held] = [Number.NaN, 0, 0];
  return {
    queueMs(waitMs) {
      submitted += 1;
      if (submitted === 1) startedMs = performance.now();
      if (submitted % 20 !== 0 || held === SHRINKING.jobs) return waitMs;
      held += 1;
      const leavesMs = SHRINKING.fromMs + (SHRINKING.jobs - held) * SHRINKING.everyMs;
      return startedMs + leavesMs - performance.now();
    },
  };
}

it("is not lost while it shrinks, though fresh jobs overtake it", MARGIN, async () => {
  const newestFirst = faultOf("load.no-losses", "near-newest-first", "Takes the newest", shrinking);
  const options = { timeScale: 0.02, faults: [newestFirst.name] };
  const service = await startReference(options, [newestFirst]);
  onTestFinished(() => service.close());
  const { findings, notes } = await judgeSoak(service, LOAD);
  expect(notes.join("; ")).toContain("fresh ones show whether these are passed over");
  expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
});

/** One job of a key is never run, while of another key's none is from the tenth on. */
function queuesByKey(): Partial<Hooks> {
  const submitted = new Map<string, number>();
  return {
    queueMs(waitMs, { keyName }) {
      const count = (submitted.get(keyName) ?? 0) + 1;
      submitted.set(keyName, count);
      const isStuck = keyName === "pro-a" ? count === 3 : count >= 10;
      return isStuck ? MARGIN.timeout : waitMs;
    },
  };
}

it("is not lost where one key's fresh jobs pass, but another's do not", MARGIN, async () => {
  const byKey = faultOf(
    "load.no-losses",
    "near-queues-by-key",
    "A queue for each key",
    queuesByKey,
  );
  const service = await startReference({ timeScale: 0.02, faults: [byKey.name] }, [byKey]);
  onTestFinished(() => service.close());
  const { measurements } = await judgeSoak(service, { ...LOAD, keys: ["pro-a", "pro-b"] });
  const { lost, inFlight } = left.parse(measurements.load?.[0]);
  expect(lost).toBe(1);
  expect(inFlight).toBeGreaterThan(1);
});

const left = z.object({ lost: z.number(), inFlight: z.number() });
