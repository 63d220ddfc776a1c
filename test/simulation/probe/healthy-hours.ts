/** Some hours of a probe on a healthy service that is drawn from the seed. */

import { healthyService } from "../../../simulation/healthy-service.ts";
import type { ProbeHistory } from "../../../simulation/simulated-probe.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import type { SurroundingsName } from "../../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { problemsOf } from "./invariants.ts";

export const HOUR_MS = 3_600_000;

/** A run that fails by no fault of its input breaks no promise, and is a bad event as it should. */
const AS_EXPECTED = { runsFail: "no", systemCancels: "no" } as const;

export interface HealthyHours {
  world: SurroundingsName;
  seed: number;
  hours: number;
}

export async function watchHealthy({ world, seed, hours }: HealthyHours): Promise<{
  history: ProbeHistory;
  problems: readonly string[];
}> {
  const surroundings = SURROUNDINGS[world];
  const drawn = healthyService(seed);
  const service = { ...drawn, choices: { ...drawn.choices, ...AS_EXPECTED } };
  const history = await simulateProbe({
    seed,
    surroundings,
    service,
    durationMs: hours * HOUR_MS,
  });
  return { history, problems: problemsOf(history, surroundings) };
}
