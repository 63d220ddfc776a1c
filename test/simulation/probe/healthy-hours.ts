/** Some hours of a probe on a healthy service that is drawn from the seed. */

import { healthyService } from "../../../simulation/healthy-service.ts";
import type { ProbeHistory } from "../../../simulation/simulated-probe.ts";
import { simulateProbe } from "../../../simulation/simulated-probe.ts";
import type { SurroundingsName } from "../../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { problemsOf } from "./invariants.ts";

export const HOUR_MS = 3_600_000;

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
  const service = healthyService(seed);
  const history = await simulateProbe({
    seed,
    surroundings,
    service,
    durationMs: hours * HOUR_MS,
  });
  return { history, problems: problemsOf(history, surroundings) };
}
