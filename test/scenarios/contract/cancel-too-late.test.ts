/** Jobs that never end leave no time to cancel others: the report says so. */

import { expect, it } from "vitest";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { findingOf } from "../../contract/findings.ts";

it("names the time that was over, and no speed of jobs that were not submitted", async () => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    service: { variant: "A", timeScale: 1, faults: ["job.never-lost/never-ends"] },
  });
  const { verdict, reason } = findingOf(findings, "cancel.queued");
  expect(verdict).toBe("unobserved");
  expect(reason).toMatch(/^other jobs took so long that the run's time was over/);
});
