/** Judges an embedded service with real k6, as the gate does, in one given state of health. */

import { gateScenarios } from "../../../cli/files/scenario-files.ts";
import type { RunResult } from "../../../contract/run/run-result.ts";
import { runGate } from "../../../gate/gate.ts";
import { embeddedTarget } from "../../../reference/embedded-target.ts";
import { startReference } from "../../../reference/service.ts";
import { withMarkForms } from "../../../simulation/simulated-gate.ts";
import { temporaryFolder } from "../../cli/temporary-folder.ts";
import { openFront } from "../../fronts/front.ts";
import { k6Here } from "../../runner/k6-here.ts";
import type { Condition } from "../condition.ts";

/** As in `npm start`: timeouts and run times pass fifty times faster. */
export const TIME_SCALE = 0.05;

/** Ours: twice what the longest run takes on a busy machine; a run that hangs must end. */
export function limitMs({ timeScale = TIME_SCALE }: Condition): number {
  return (timeScale === 1 ? 20 : 8) * 60_000;
}

/** An abort ends the run early; the result says that it was interrupted. */
export async function judgeService(
  condition: Condition,
  signal: AbortSignal = new AbortController().signal,
): Promise<RunResult> {
  const { variant, faults = [], choices = {}, only, seed = 1, timeScale = TIME_SCALE } = condition;
  const service = await startReference({ variant, faults, choices, timeScale, seed });
  const front = await openFront(condition.front ?? null, service.baseUrl);
  await using folder = await temporaryFolder();
  try {
    const { keys: allKeys, options } = service;
    const { baseUrl } = front;
    const { target, secrets } = embeddedTarget({ baseUrl, keys: allKeys, options });
    const keys = target.keys.filter(({ name }) => condition.keys?.includes(name) ?? true);
    const k6 = await k6Here();
    return await runGate({
      target: withMarkForms({ ...target, keys }),
      secrets,
      profile: timeScale === 1 ? "standard" : "quick",
      only,
      seed,
      outputDir: folder.path,
      k6,
      scenarios: gateScenarios(),
      signal,
      onProgress: () => undefined,
      onPlanned: () => undefined,
    });
  } finally {
    await service.close();
    await front.close();
  }
}
