/** A clock that is set in mid-run breaks no promise; times that are wrong now and then do. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { done, jobs, shifted, withTimes } from "../../reference/faults/job-views.ts";
import { shifting } from "../../reference/faults/timeout.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { promisesWith } from "../contract/findings.ts";
import { setClock } from "./set-clock.ts";

/** While the jobs of all scenarios run that judge these. */
const AFTER_MS = 18_000;
const ONLY: readonly PromiseId[] = ["job.timestamps", "job.duration", "timeout.not-early"];

async function brokenBy(
  faults: Fault | readonly Fault[],
  variant: "A" | "B",
  world: "quiet" | "far" = "quiet",
  only: readonly PromiseId[] = ONLY,
): Promise<readonly string[]> {
  const all = [faults].flat();
  const { findings } = await simulateGate({
    seed: 1,
    only,
    surroundings: SURROUNDINGS[world],
    service: { variant, faults: all.map(({ name }) => name) },
    otherFaults: all,
  });
  return promisesWith(findings, "broken");
}

it.each([
  [-900, "A", "by-clock", "quiet"],
  [900, "B", "steady", "quiet"],
  [-900, "B", "by-clock", "far"],
  [-900, "A", "steady", "far"],
  [900, "B", "by-clock", "far"],
  [900, "B", "steady", "far"],
] as const)("by %i ms (variant %s, durations %s, %s): nothing is broken", async (...row) => {
  const [byMs, variant, durations, world] = row;
  const fault = setClock({ afterMs: AFTER_MS, byMs, durations });
  expect(await brokenBy(fault, variant, world)).toEqual([]);
});

/** While the jobs of the contract scenario run, once and once more. */
it.each([
  [-900, -900, "quiet", 40_000],
  [-900, -900, "far", 40_000],
  [-900, -900, "far", 60_000],
  [-900, 900, "quiet", 40_000],
  [900, 500, "far", 60_000],
] as const)("in each of two runs, by %i and %i ms (%s): nothing is broken", async (...row) => {
  const [byMs, againByMs, world, afterMs] = row;
  const sets = [
    setClock({ afterMs: AFTER_MS, byMs, durations: "steady" }),
    setClock({ afterMs, byMs: againByMs, durations: "steady" }, "near-clock-set-again"),
  ];
  expect(await brokenBy(sets, "A", world, [...ONLY, "job.shape"])).toEqual([]);
});

/** Where views lag, a clock that was set explains those of one run, and not those of both. */
it("limits early by one and a half of what is tolerated, far away: broken", async () => {
  const title = "Limits stop jobs 0.375 s early";
  const early = faultOf("timeout.not-early", "by-0.375-s", title, shifting(-0.375));
  expect(await brokenBy(early, "A", "far")).toEqual(["timeout.not-early"]);
});

it("the ends of 1 job in 3 are 0.9 s ahead: broken", async () => {
  const ahead = jobs(
    done,
    (body) =>
      withTimes(body, (times, { finished }) => ({
        ...times,
        [finished]: shifted(times[finished], 900),
      })),
    3,
  );
  const lie = faultOf("job.timestamps", "now-and-then", "1 end in 3 is 0.9 s ahead", ahead);
  expect(await brokenBy(lie, "A")).toEqual(["job.timestamps"]);
});
