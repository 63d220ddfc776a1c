/** What a run must say of a fault: its promise broken, no other but permitted side effects. */

import type { PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import { VARIANTS } from "../../contract/states.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { SCENARIOS } from "../../scenarios/catalogue.ts";
import { companionsOf } from "./companions.ts";

/** What of a finding counts here. */
export type Verdicts = readonly Pick<Finding, "promise" | "verdict" | "summary">[];

export function variantsOf(fault: Fault): readonly Variant[] {
  return fault.variants ?? VARIANTS;
}

/**
 * The promises of the fault's group that the same scenario judges, which takes some seconds; or
 * those that it is seen with, which takes another scenario.
 */
export function groupPromises(fault: Fault): readonly PromiseId[] {
  if (fault.seenWith !== undefined) return [fault.promise, ...fault.seenWith];
  const scenario = scenarioOf(fault.promise);
  return PROMISE_IDS.filter(
    (id) => groupOf(id) === groupOf(fault.promise) && scenarioOf(id) === scenario,
  );
}

/** What only a witness in Node can see goes with the contract scenario, as it takes no time. */
function scenarioOf(id: PromiseId): string {
  return SCENARIOS.find(({ promises }) => promises.some((each) => each === id))?.name ?? "contract";
}

/**
 * What the run says that it should not, a line each; empty when all is well. A near miss must leave
 * its promise kept. Nothing else may be broken either way, but the fault's permitted side effects.
 * Of a fault whose detection is only measured, anything may be said of its own promise.
 */
export function complaints(fault: Fault, verdicts: Verdicts): string[] {
  const lawful = companionsOf(fault);
  return verdicts.flatMap(({ promise, verdict, summary }) => {
    if (promise === fault.promise) {
      const expected = expectedVerdict(fault);
      if (fault.curve || verdict === expected) return [];
      return [`${promise} is ${verdict}, expected ${expected}: ${summary}`];
    }
    const isFalse = verdict === "broken" && !lawful.has(promise);
    return isFalse ? [`${promise} is broken, too: ${summary}`] : [];
  });
}

function expectedVerdict(fault: Fault): "kept" | "broken" {
  return fault.nearMiss ? "kept" : "broken";
}
