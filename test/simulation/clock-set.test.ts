/** A clock that is set in mid-run breaks no promise; times that are wrong now and then do. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { done, jobs, shifted, withTimes } from "../../reference/faults/job-views.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { setClock } from "./set-clock.ts";

/** While the jobs of all scenarios run that judge these. */
const AFTER_MS = 18_000;
const ONLY: readonly PromiseId[] = ["job.timestamps", "job.duration", "timeout.not-early"];

async function brokenBy(fault: Fault, variant: "A" | "B"): Promise<readonly string[]> {
  const service = { variant, faults: [fault.name] } as const;
  const { findings } = await simulateGate({ seed: 1, only: ONLY, service, otherFaults: [fault] });
  return findings.filter(({ verdict }) => verdict === "broken").map(({ promise }) => promise);
}

it.each([
  [-900, "A", "by-clock"],
  [900, "B", "steady"],
] as const)("by %i ms (variant %s, durations %s): nothing is broken", async (...row) => {
  const [byMs, variant, durations] = row;
  expect(await brokenBy(setClock({ afterMs: AFTER_MS, byMs, durations }), variant)).toEqual([]);
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
