/** The suite measures how late its own machine is, on services in real time as on fast ones. */

import { describe, expect, it } from "vitest";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { covers } from "../../tools/robustness/covers.ts";
import { findingOf } from "../contract/findings.ts";

const { quiet } = SURROUNDINGS;
/** Stands still more often than not, for a third of a second at a time. */
const STALLED = {
  ...quiet,
  suite: { ...quiet.suite, stallEveryMs: 250, stallMs: [300, 400] },
} as const;

async function judged(timeScale: number, surroundings: typeof STALLED | typeof quiet) {
  const only = ["timeout.not-late", "webhook.wait-1"] as const;
  const service = { timeScale };
  const { findings, measurements } = await simulateGate({ seed: 1, surroundings, service, only });
  const wait = findingOf(findings, "webhook.wait-1");
  const { usualLagMs, lagMs } = wait.evidence as { usualLagMs: number; lagMs: number[] };
  const [timeout] = measurements.timeout as [{ lagMs: number }];
  return {
    verdicts: only.map((id) => findingOf(findings, id).verdict),
    tolerated: wait.evidence.tolerated,
    usualLagMs,
    waitLagMs: Math.max(...lagMs),
    timeoutLagMs: timeout.lagMs,
  };
}

const KEPT = ["kept", "kept"];

describe("the lag of a machine that stands still now and then", () => {
  it(
    covers("is told on a service in real time, and widens what is tolerated", "39 gate"),
    async () => {
      const calm = await judged(1, quiet);
      expect(calm).toMatchObject({ verdicts: KEPT, usualLagMs: 0, timeoutLagMs: 0 });
      expect(calm.tolerated).toBe("4500 to 7000 ms");
      expect(calm.waitLagMs).toBeLessThanOrEqual(1);
      const { verdicts, usualLagMs, waitLagMs, timeoutLagMs } = await judged(1, STALLED);
      expect(verdicts).toEqual(KEPT);
      expect(usualLagMs).toBeGreaterThan(50);
      expect(waitLagMs).toBeGreaterThan(250);
      expect(timeoutLagMs).toBeGreaterThan(50);
    },
  );

  it("is told of each wait on a service that is five times as fast", async () => {
    expect(await judged(0.2, quiet)).toMatchObject({
      verdicts: KEPT,
      tolerated: "900 to 1400 ms",
    });
    const { verdicts, waitLagMs } = await judged(0.2, STALLED);
    expect(verdicts).toEqual(KEPT);
    expect(waitLagMs).toBeGreaterThan(250);
  });
});

describe("a machine that stands still for a second and a half, each 12 s", () => {
  const suite = { ...quiet.suite, stallEveryMs: 12_000, stallMs: [1_200, 1_500] } as const;

  it.each([1, 2, 3, 5, 7])("tries paces around the plan until they tell, seed %i", async (seed) => {
    const { findings, notes } = await simulateGate({
      seed,
      profile: "quick",
      surroundings: { ...quiet, suite },
      service: { variant: "B", seed },
      only: ["rate.within-plan"],
    });
    expect(findingOf(findings, "rate.within-plan").verdict).toBe("kept");
    expect(notes.filter((note) => note.startsWith("rate-limit: "))).toEqual([]);
  });
});

describe("a machine that stands still for a quarter of a second, each 2 s", () => {
  it("cuts no pace below the plan short that it calls kept", async () => {
    const suite = { ...quiet.suite, stallEveryMs: 2_000, stallMs: [200, 300] } as const;
    const { findings } = await simulateGate({
      seed: 2,
      profile: "quick",
      surroundings: { ...quiet, suite },
      service: { variant: "B", seed: 2 },
      only: ["rate.within-plan"],
    });
    const { verdict, evidence } = findingOf(findings, "rate.within-plan");
    expect(verdict).toBe("kept");
    const byKey = evidence as Record<"big-b" | "pro-b", { requests: number; perSecond: number }>;
    for (const { requests, perSecond } of [byKey["big-b"], byKey["pro-b"]]) {
      expect(requests / perSecond).toBeGreaterThan(5);
    }
  });
});
