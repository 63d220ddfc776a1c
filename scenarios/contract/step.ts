/** A step of the scenario: what it observes, and the guard that keeps one failure in one step. */

import type { PromiseId } from "../../contract/promises.ts";
import type { Observation } from "../../contract/run/observation.ts";
import type { Catalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";

export interface Step {
  name: string;
  /** Judged by what it observes. */
  promises: readonly PromiseId[];
  /** Promises that are judged by what this step and later ones observe. */
  observesFor?: readonly PromiseId[];
  run(context: Context, catalogue: () => Promise<Catalogue>): Promise<readonly Observation[]>;
}

/** Runs a step if one of its promises is asked for. */
export async function runStep(
  step: Step,
  context: Context,
  catalogue: () => Promise<Catalogue>,
): Promise<readonly Observation[]> {
  if (!context.asks(...step.promises, ...(step.observesFor ?? []))) return [];
  context.progress(step.name);
  try {
    return await step.run(context, catalogue);
  } catch (error) {
    const what = error instanceof Error ? error.message : error;
    const reason = `step "${step.name}" failed: ${what}`;
    context.failures.push(reason);
    return [{ kind: "failure", value: { reason, promises: step.promises } }];
  }
}

/** Why a step looked at nothing. */
export function nothing(reason: string, promises: readonly PromiseId[]): readonly Observation[] {
  return [{ kind: "nothing", value: { reason, promises } }];
}
