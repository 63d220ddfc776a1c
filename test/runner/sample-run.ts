/** A run of one script under the k6 of this machine, as tests ask for it. */

import type { RunK6Options } from "../../runner/run-k6.ts";
import { runK6 } from "../../runner/run-k6.ts";
import type { ScenarioRun } from "../../runner/scenario-process.ts";
import { BASE_PLAN } from "./base-plan.ts";
import { k6Here } from "./k6-here.ts";

type SampleRun = Partial<RunK6Options> & Pick<RunK6Options, "script" | "outputDir">;

export async function sampleRun(options: SampleRun): Promise<ScenarioRun> {
  const { path: k6Path } = await k6Here();
  return await runK6({
    k6Path,
    name: "sample",
    plan: BASE_PLAN,
    secrets: new Map(),
    timeLimitMs: 100_000,
    signal: new AbortController().signal,
    onRecord: () => {},
    ...options,
  });
}
