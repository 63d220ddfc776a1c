/** A quick run of the gate with real k6, as tests ask for it. */

import { gateScenarios } from "../../cli/files/scenario-files.ts";
import type { PromiseId } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run/run-result.ts";
import type { Target } from "../../contract/target.ts";
import type { Secrets } from "../../contract/text/secret.ts";
import { runGate } from "../../gate/gate.ts";
import { k6Here } from "../runner/k6-here.ts";
import { temporaryFolder } from "../runner/temporary-folder.ts";

export interface QuickRun {
  target: Target;
  secrets: Secrets;
  only: readonly PromiseId[];
  /** A folder that goes with the test, unless told otherwise. */
  outputDir?: string;
}

export async function quickRun({ outputDir, ...asked }: QuickRun): Promise<RunResult> {
  return await runGate({
    ...asked,
    profile: "quick",
    seed: 1,
    outputDir: outputDir ?? (await temporaryFolder()),
    k6: await k6Here(),
    scenarios: gateScenarios(),
    signal: new AbortController().signal,
    onProgress: () => {},
    onPlanned: () => {},
  });
}
