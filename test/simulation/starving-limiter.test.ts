/** Limiters that take a run's time, in the time that quick has: some is in doubt, nothing hangs. */

import { expect, it } from "vitest";
import { PROMISE_IDS } from "../../contract/promises.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";

it("leaves one doubt where it counts refusals and forgets by the second", async () => {
  const { findings } = await simulateGate({
    seed: 100,
    profile: "quick",
    only: ["rate.limited", "rate.burst", "rate.sustained", "rate.within-plan"],
    surroundings: SURROUNDINGS.quiet,
    service: { ...healthyService(100), timeScale: 1 },
  });
  const asked = findings.filter(({ promise }) => promise.startsWith("rate."));
  const open = asked.filter(({ verdict }) => verdict === "inconclusive");
  expect(asked.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  expect(asked.filter(({ verdict }) => verdict === "kept").length).toBeGreaterThanOrEqual(3);
  for (const { promise, summary } of open) {
    expect(promise).toBe("rate.within-plan");
    expect(summary).toContain("before its plan could be tried from a rest");
  }
});

it("leaves what there is no time for where it holds requests back on a busy machine", async () => {
  const { variant, choices } = healthyService(1);
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: PROMISE_IDS.filter((id) => id.startsWith("rate.")),
    surroundings: SURROUNDINGS.storm,
    service: {
      variant,
      choices: { ...choices, limiter: "queue", refusedCount: "no" },
      timeScale: 1,
    },
  });
  const asked = findings.filter(({ promise }) => promise.startsWith("rate."));
  const verdicts = asked.map(({ verdict }) => verdict);
  expect(verdicts).not.toContain("broken");
  expect(verdicts.filter((each) => each === "kept").length).toBeGreaterThanOrEqual(6);
  expect(asked.filter(({ summary }) => summary.includes("hung"))).toEqual([]);
});
