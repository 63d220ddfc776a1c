/** The simulation of what real k6 judges: the same service, keys, promises and profile. */

import type { RunResult } from "../../contract/run/run-result.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import type { Condition } from "../kill-matrix/condition.ts";
import { TIME_SCALE } from "../kill-matrix/real/judge-service.ts";

export async function simulate(condition: Condition): Promise<RunResult> {
  const { variant, faults = [], choices = {}, only, seed = 1, timeScale = TIME_SCALE } = condition;
  return await simulateGate({
    seed,
    service: { variant, faults, choices, timeScale, seed },
    profile: timeScale === 1 ? "standard" : "quick",
    only,
    target(target) {
      const keys = target.keys.filter(({ name }) => condition.keys?.includes(name) ?? true);
      return { ...target, keys };
    },
  });
}
