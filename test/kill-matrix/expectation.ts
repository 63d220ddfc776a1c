/** What a run must say of a fault: the one promise broken, no other one, but lawful companions. */

import type { PromiseId } from "../../contract/promises.ts";
import { groupOf, PROMISE_IDS } from "../../contract/promises.ts";
import type { RunResult } from "../../contract/run-result.ts";
import type { Variant } from "../../contract/states.ts";
import { VARIANTS } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { SCENARIOS } from "../../scenarios/catalogue.ts";

/** Promises that this version judges by a scenario; a fault of another one can't be caught yet. */
const JUDGED = new Set<PromiseId>([
  ...SCENARIOS.flatMap(({ promises }) => promises),
  "auth.header-case",
]);

export function isJudged(fault: Fault): boolean {
  return JUDGED.has(fault.promise);
}

export function variantsOf(fault: Fault): readonly Variant[] {
  return fault.variants ?? VARIANTS;
}

/** The promises of the fault's group: what one scenario says in a few seconds. */
export function groupPromises(fault: Fault): readonly PromiseId[] {
  return PROMISE_IDS.filter((id) => groupOf(id) === groupOf(fault.promise) && JUDGED.has(id));
}

/**
 * What the run says that it should not, a line each; empty when all is well. A near miss must leave
 * its promise kept. Nothing else may be broken either way, except what the fault's own entry lists.
 */
export function complaints(fault: Fault, result: RunResult): string[] {
  const lawful = new Set<PromiseId>([fault.promise, ...(fault.companions ?? [])]);
  const found: string[] = [];
  for (const { promise, verdict, summary } of result.findings) {
    const expected = fault.nearMiss ? "kept" : "broken";
    if (promise === fault.promise && verdict !== expected) {
      found.push(`${promise} is ${verdict}, expected ${expected}: ${summary}`);
    }
    const blamed = verdict === "broken" && (fault.nearMiss || !lawful.has(promise));
    if (blamed) found.push(`${promise} is broken, too: ${summary}`);
  }
  return found;
}
