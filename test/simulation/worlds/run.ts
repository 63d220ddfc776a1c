/** One healthy gate in one of the surroundings, and what is kept of it. */

import { z } from "zod";
import type { RunPlan } from "../../../contract/run/run-plan.ts";
import type { RunResult } from "../../../contract/run/run-result.ts";
import { healthyService } from "../../../simulation/healthy-service.ts";
import { LOOPBACK } from "../../../simulation/network.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import type { SurroundingsName } from "../../../simulation/worlds.ts";
import { SURROUNDINGS } from "../../../simulation/worlds.ts";
import { withLoadFor } from "../load-lasting.ts";

export interface WorldRun {
  world: SurroundingsName;
  profile: Exclude<RunPlan["profile"], "soak">;
  seed: number;
  /** How long load is offered; left out: as long as to the embedded service. */
  loadMs?: number;
}

export function nameOf({ world, profile, seed }: WorldRun): string {
  return `${world} ${profile} ${seed}`;
}

export const worldRecordSchema = z.object({
  world: z.custom<SurroundingsName>((name) => typeof name === "string" && name in SURROUNDINGS),
  profile: z.enum(["quick", "standard"]),
  seed: z.number(),
  kept: z.number(),
  /** Those not observed, called broken, and left in doubt, with what was said of them. */
  unobserved: z.array(z.string()),
  broken: z.array(z.string()),
  inconclusive: z.array(z.string()),
  /** Of the simulated run, and of this machine. */
  simulatedSeconds: z.number(),
  seconds: z.number(),
});

export type WorldRecord = z.infer<typeof worldRecordSchema>;

/** As the embedded service of the profile `quick` has it; any other service has real time. */
const QUICK_TIME_SCALE = 0.05;

export async function judgeWorld(run: WorldRun): Promise<WorldRecord> {
  const { world, profile, seed, loadMs } = run;
  const startedMs = Date.now();
  const isBeside: boolean = SURROUNDINGS[world].network === LOOPBACK;
  const timeScale = profile === "quick" && isBeside ? QUICK_TIME_SCALE : 1;
  const result = await simulateGate({
    seed,
    profile,
    surroundings: SURROUNDINGS[world],
    service: { ...healthyService(seed), timeScale },
    target: (target) => withLoadFor(target, loadMs),
  });
  return {
    world,
    profile,
    seed,
    kept: told(result, "kept").length,
    unobserved: told(result, "unobserved"),
    broken: told(result, "broken"),
    inconclusive: told(result, "inconclusive"),
    simulatedSeconds: (result.finishedAtMs - result.startedAtMs) / 1_000,
    seconds: (Date.now() - startedMs) / 1_000,
  };
}

function told({ findings }: RunResult, verdict: string): string[] {
  return findings
    .filter((each) => each.verdict === verdict)
    .map(({ promise, summary }) => `${promise}: ${summary}`);
}
