/** What the report tells of timed-out jobs: by how much each overshot its limit. */

import { expect, it } from "vitest";
import { boundsOf } from "../../../../contract/judges/timeout/bounds.ts";
import { limitTrial } from "../../../../contract/judges/timeout/index.ts";
import {
  timeoutMeasurement,
  timeoutSeries,
} from "../../../../contract/judges/timeout/measurement.ts";
import { BASE_PLAN } from "../../../runner/base-plan.ts";
import { observed } from "./observed-job.ts";

const JOB = { startUpMs: 0, stamped: "running", ranMs: 10_000 } as const;

/** Jobs that ran for so long by their own account, against a limit of 10 s. */
function trialOf(ranMs: readonly number[]) {
  const beyond = ranMs.map((_, at) => observed(JOB, at + 1));
  const bounds = boundsOf(10, BASE_PLAN.times);
  const trial = limitTrial({ bounds, beyond, below: [], balance: null, without: "none" });
  const told = trial.beyond.map((reading, at) => ({
    ...reading,
    run: reading.run && { ...reading.run, statedMs: ranMs[at] ?? 0 },
  }));
  return { ...trial, beyond: told };
}

const RAN_MS = [10_400.16, 10_000.04, 9_999.97, 10_200.72, 10_100.25];

it("tells each overshoot to a tenth of a millisecond, sorted", () => {
  const { overshootsMs, jobs } = timeoutSeries("nap", trialOf(RAN_MS));
  expect(overshootsMs).toEqual([0, 0, 100.3, 200.7, 400.2]);
  expect(jobs).toBe(5);
});

it("tells their distribution alike, and none without jobs", () => {
  const told = { min: 0, p50: 100.3, p90: 400.2, max: 400.2 };
  expect(timeoutMeasurement("nap", trialOf(RAN_MS), 0)).toMatchObject({ overshootMs: told });
  expect(timeoutMeasurement("nap", trialOf([]), 0)).toMatchObject({ overshootMs: null });
});
