/**
 * The suite's machine stands still for a minute now and then, as one that is suspended: webhooks
 * that were sent again meanwhile all arrive when it goes on, and nobody did wrong. Nor did senders
 * on the same machine that stand still and miss answers, nor a service that stands still by itself.
 */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { healthyService } from "../../simulation/healthy-service.ts";
import type { Simulation } from "../../simulation/simulated-gate.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import type { Surroundings } from "../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";
import { drawnCases } from "../drawn-cases.ts";

function standingStill(stallEveryMs: number, slowness: number): Surroundings {
  const suite = { stallEveryMs, stallMs: [50_000, 100_000], slowness, waitMs: 8 } as const;
  return { ...SURROUNDINGS.pressure, suite };
}

const WEBHOOKS: readonly PromiseId[] = [
  "webhook.once",
  "webhook.recovers",
  "webhook.retried",
  "webhook.wait-1",
  "webhook.wait-2",
  "webhook.gives-up",
];

async function brokenIn(simulation: Simulation, timeScale = 1): Promise<readonly string[]> {
  const { seed } = simulation;
  const variant = seed % 2 === 1 ? "A" : "B";
  const service = { ...healthyService(seed), variant, timeScale } as const;
  const { findings } = await simulateGate({ ...simulation, service });
  const broken = findings.filter(({ verdict }) => verdict === "broken");
  return broken.map(({ promise, summary }) => `${promise}: ${summary}`);
}

it.each(drawnCases("webhooks", [12, 52, 117, 162], 2))(
  "no webhook of a healthy service is wrong then: seed %i",
  async (seed) => {
    const surroundings = standingStill(300_000, 20);
    expect(await brokenIn({ seed, profile: "standard", only: WEBHOOKS, surroundings })).toEqual([]);
  },
);

it.each(drawnCases("loads", [3, 18], 2))(
  "nor one of a load, while it is offered or after: seed %i",
  async (seed) => {
    const surroundings = standingStill(60_000, 4);
    expect(await brokenIn({ seed, profile: "quick", surroundings })).toEqual([]);
  },
);

/** Each takes an answer for missing after half a second, for which it stands still now and then. */
it.each(drawnCases("senders", [3, 4, 5, 9], 2))(
  "nor one of a service whose senders stand still beside the suite: seed %i",
  async (seed) => {
    const { busy } = SURROUNDINGS;
    const service = { ...busy.service, stallEveryMs: 2_500, stallMs: [450, 900] } as const;
    const surroundings = { ...busy, service };
    const only = WEBHOOKS;
    expect(await brokenIn({ seed, profile: "quick", only, surroundings }, 0.05)).toEqual([]);
  },
);

it.each(drawnCases("services", [1, 4, 6, 7], 2))(
  "nor one of a service that stands still for seconds while the suite does not: seed %i",
  async (seed) => {
    expect(await brokenIn(withStalls(seed, 8_000, [3_000, 7_000]))).toEqual([]);
  },
);

it.each(drawnCases("late retries", [2, 3, 16], 1))(
  "nor one of a sender that sent late by as much as it hung up too soon: seed %i",
  async (seed) => {
    const { only, ...rest } = withStalls(seed, 8_000, [3_000, 7_000]);
    expect(await brokenIn({ ...rest, only: [...only, "webhook.answer-time"] })).toEqual([]);
  },
);

it.each(drawnCases("stalls", [2, 4, 6, 10], 2))(
  "nor one of a service that stands still now and then when a response is due: seed %i",
  async (seed) => {
    const { only, ...rest } = withStalls(seed, 30_000, [2_000, 9_000]);
    expect(await brokenIn({ ...rest, only: [...only, "webhook.answer-time"] })).toEqual([]);
  },
);

function withStalls(seed: number, stallEveryMs: number, stallMs: readonly [number, number]) {
  const { quiet } = SURROUNDINGS;
  const surroundings = { ...quiet, service: { ...quiet.service, stallEveryMs, stallMs } };
  return { seed, profile: "quick", only: WEBHOOKS, surroundings } as const;
}
