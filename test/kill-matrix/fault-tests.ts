/**
 * Tests of faults, one at a time: its promise is broken, no other promise of its group is, and a
 * near miss stays kept. `npm run kill-matrix` holds each fault against all promises, in both
 * variants.
 */

import { afterAll, describe, it } from "vitest";
import type { PromiseGroup } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { RATE_KEYS } from "./cells.ts";
import { complaints, groupPromises, variantsOf } from "./expectation.ts";
import type { Condition } from "./judge-service.ts";
import { openJudges } from "./judges.ts";

/** Ours: the longest run takes a third of it, and some wait for their turn. */
const TIMEOUT_MS = 300_000;

/** Defines the tests of these groups; `jobs` services at most are judged side by side. */
export function testFaultsOf(groups: readonly PromiseGroup[], jobs: number): void {
  const judges = openJudges(jobs);
  afterAll(() => judges.close());
  for (const group of groups) {
    describe.concurrent(`faults of ${group}`, () => {
      for (const fault of FAULTS.filter(({ promise }) => groupOf(promise) === group)) {
        const condition = conditionOf(fault, group);
        const title = `${fault.name} in variant ${condition.variant}: ${fault.title}`;
        it(title, { timeout: TIMEOUT_MS }, async ({ expect }) => {
          const { result, error } = await judges.judge(condition);
          expect(error).toBeNull();
          expect(complaints(fault, result?.findings ?? [])).toEqual([]);
        });
      }
    });
  }
}

function conditionOf(fault: Fault, group: PromiseGroup): Condition {
  const keys = group === "rate" ? { keys: RATE_KEYS } : {};
  const only = groupPromises(fault);
  return { variant: variantFor(fault), faults: [fault.name], only, ...keys };
}

/** Each variant gets about half of the faults; the full matrix takes both of each. */
function variantFor(fault: Fault): Variant {
  const variants = variantsOf(fault);
  return variants[FAULTS.indexOf(fault) % variants.length] ?? "B";
}
