/**
 * What lies between polls tells a run as well where the service tells only the duration of its
 * work, and keeps the view of a job for a second. Spec §2.5, §4.4.
 */

import { expect, it } from "vitest";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

/** Of 30 jobs; those that wait in a queue are polled more seldom. */
const TOLD_MIN = 10;

it.each([
  [2066, "cold"],
  [2067, "warm"],
] as const)("most timeouts tell that they were not early (seed %d, %s)", async (seed, startUp) => {
  const { findings } = await simulateGate({
    ...{ seed, profile: "standard", only: ["timeout.not-early"] },
    service: {
      variant: "A",
      choices: { durationOf: "work", jobViews: "1", startUp, slots: "few" },
    },
  });
  const { verdict, summary, evidence } = findingOf(findings, "timeout.not-early");
  expect(verdict, summary).toBe("kept");
  const { samples, open } = evidence as { samples: number; open: number };
  expect(samples - open).toBeGreaterThanOrEqual(TOLD_MIN);
});
