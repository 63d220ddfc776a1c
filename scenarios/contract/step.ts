/** A step of the scenario: what it judges, and the guard that keeps one failure in one step. */

import type { PromiseId } from "../../contract/promises.ts";
import type { Finding } from "../../contract/verdict.ts";
import { inconclusive, mergeFindings } from "../../contract/verdict.ts";
import type { Catalogue } from "../client/catalogue.ts";
import type { Context } from "../client/context.ts";

export interface Step {
  name: string;
  promises: readonly PromiseId[];
  /** Promises that a later step judges by what this one observes. */
  observesFor?: readonly PromiseId[];
  /** Findings for its promises; those that are missing at the end count as inconclusive. */
  run(context: Context, catalogue: () => Promise<Catalogue>): Promise<readonly Finding[]>;
}

/** Runs a step if one of its promises is asked for; exactly one finding for each of them. */
export async function runStep(
  step: Step,
  context: Context,
  catalogue: () => Promise<Catalogue>,
): Promise<readonly Finding[]> {
  if (!context.asks(...step.promises, ...(step.observesFor ?? []))) return [];
  context.progress(step.name);
  let failure = "the step ended without judging it";
  let findings: readonly Finding[] = [];
  try {
    findings = await step.run(context, catalogue);
  } catch (error) {
    failure = `step "${step.name}" failed: ${error instanceof Error ? error.message : error}`;
    context.failures.push(failure);
  }
  return step.promises.map((promise) => {
    const own = findings.filter((finding) => finding.promise === promise);
    return own.length === 0 ? inconclusive(promise, failure) : mergeFindings(own);
  });
}
