/** What a run of each profile rules out on the embedded service, as the simulation has it. */

import type { RunPlan } from "../../contract/run/run-plan.ts";
import { faultShareBelow } from "../../contract/strength.ts";
import type { Finding } from "../../contract/verdict.ts";
import { counted } from "../../report/strength-text.ts";
import { figure } from "../../report/text.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** By promise: a cell of a table. */
export type Strengths = (id: string) => string;

const SEED = 1;

export async function measuredStrengths(
  profiles: readonly RunPlan["profile"][],
): Promise<readonly Strengths[]> {
  const runs: Strengths[] = [];
  for (const profile of profiles) {
    const { findings } = await simulateGate({ seed: SEED, service: { variant: "B" }, profile });
    runs.push((id) => cellOf(findings.find(({ promise }) => promise === id)));
  }
  return runs;
}

function cellOf(finding: Finding | undefined): string {
  const [first] = finding?.strength?.looks ?? [];
  if (first !== undefined) {
    return `${figure(100 * faultShareBelow(first.count))} % (${counted(first)})`;
  }
  const measured = finding?.strength?.measured.length ?? 0;
  return measured === 0 ? "not seen" : `${measured} intervals`;
}
