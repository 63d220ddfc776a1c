/**
 * Healthy services, drawn from seeds, that the profile quick once left in doubt in real time: slow
 * jobs wait long where the suite's own fill four slots, and a job of a load may end too soon.
 */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

it.each<[what: string, seed: number, only: readonly PromiseId[] | null]>([
  ["jobs that wait for 70 s, first in, first out", 5004, null],
  ["jobs that wait, or have just begun to run, as the run ends", 5028, null],
  ["a job that the system cancels long before its limit", 5001, ["load.throughput"]],
])("%s", async (_, seed, only) => {
  const { findings } = await simulateGate({
    ...{ seed, profile: "quick", only },
    service: { ...healthyService(seed), timeScale: 1 },
  });
  const open = findings.filter(({ verdict }) => verdict === "broken" || verdict === "inconclusive");
  expect(open).toEqual([]);
});
