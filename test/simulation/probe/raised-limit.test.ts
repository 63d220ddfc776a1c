/** A worker whose limit is changed by a new version, while the probe remembers the old one. */

import { expect, it } from "vitest";
import { WORKERS } from "../../../reference/catalogue/workers.ts";
import type { ServiceSetup } from "../../../simulation/service.ts";
import { openService } from "../../../simulation/service.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import { canary } from "../../probe/open-probe.ts";

const MINUTE_MS = 60_000;

function redeployed(afterMs: number, seconds: number) {
  return (setup: ServiceSetup) => {
    const { clock } = setup.machine;
    const atMs = clock.nowMs() + afterMs;
    const workers = WORKERS.map((worker) => {
      if (worker.id !== "sleep-short") return worker;
      const limit = () => (clock.nowMs() < atMs ? worker.timeoutSeconds : seconds);
      return Object.defineProperty({ ...worker }, "timeoutSeconds", { get: limit });
    });
    return openService({ ...setup, workers });
  };
}

async function brokenAfter(seconds: number) {
  const { log, runs } = await simulateProbe({
    seed: 4,
    service: { variant: "B" },
    openService: redeployed(12 * MINUTE_MS, seconds),
    canaries: [canary("timeout", { everyMs: 2 * MINUTE_MS, deadlineMs: 100_000 })],
    durationMs: 24 * MINUTE_MS,
  });
  expect(runs.length).toBeGreaterThan(10);
  return log.filter(({ event }) => event === "violation").map((line) => line.promise);
}

it.each([30, 10, 300])(
  "a limit of 20 s that becomes one of %d s breaks no promise",
  async (next) => {
    expect(await brokenAfter(next)).toEqual([]);
  },
);
