/** A limiter that counts refused requests and forgets by the second, in the time that quick has. */

import { expect, it } from "vitest";
import { healthyService } from "../../simulation/healthy-service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";

it("ends in time, with a doubt of what it had no time for and of nothing else", async () => {
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
