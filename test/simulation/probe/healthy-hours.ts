/** Some hours of a probe on a healthy service that is drawn from the seed. */

import { healthyService } from "../../../simulation/healthy-service.ts";
import type { ProbeHistory, Sampling } from "../../../simulation/simulated-probe.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import type { SurroundingsName } from "../../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { problemsOf } from "./invariants.ts";

export const HOUR_MS = 3_600_000;

/** A run that fails by no fault of its input breaks no promise, and is a bad event as it should. */
const AS_EXPECTED = { runsFail: "no", systemCancels: "no" } as const;

/** Ours: what is sampled is what the probe holds; a service may forget its jobs. */
const JOBS_KEPT_MAX = 1_000;

export interface HealthyHours {
  world: SurroundingsName;
  seed: number;
  hours: number;
  sampling?: Sampling;
}

export function healthySetup(world: SurroundingsName, seed: number) {
  const drawn = healthyService(seed);
  const service = { ...drawn, choices: { ...drawn.choices, ...AS_EXPECTED } };
  return { seed, surroundings: SURROUNDINGS[world], service };
}

export async function watchHealthy({ world, seed, hours, sampling }: HealthyHours): Promise<{
  history: ProbeHistory;
  problems: readonly string[];
}> {
  const setup = healthySetup(world, seed);
  const { service } = setup;
  const history = await simulateProbe({
    ...setup,
    service: { ...service, ...(sampling === undefined ? {} : { jobsKeptMax: JOBS_KEPT_MAX }) },
    durationMs: hours * HOUR_MS,
    ...(sampling === undefined ? {} : { sampling }),
  });
  return { history, problems: problemsOf(history, setup.surroundings) };
}
