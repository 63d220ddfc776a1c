/**
 * Tests of faults with real k6, each in one variant: its promise is broken, no other promise of its
 * group is, and a near miss stays kept. Part of `npm run test:all`.
 */

import { afterAll, describe, it } from "vitest";
import type { PromiseGroup } from "../../../contract/promises.ts";
import { groupOf } from "../../../contract/promises.ts";
import type { Variant } from "../../../contract/states.ts";
import type { Fault } from "../../../reference/faults/fault.ts";
import { FAULTS } from "../../../reference/faults/index.ts";
import type { Condition } from "../condition.ts";
import { complaints, groupPromises, variantsOf } from "../expectation.ts";
import { openJudges } from "../judges.ts";
import { RATE_KEYS } from "./keys.ts";

/** Ours: all tests of a group begin at once and wait for their turn. */
const TIMEOUT_MS = 1_200_000;

/** Defines the tests of a group; `jobs` services at most are judged side by side. */
export function testFaultsOf(group: PromiseGroup, jobs: number): void {
  describe(`faults of ${group}`, () => {
    const judges = openJudges("real", jobs);
    afterAll(() => judges.close());
    for (const fault of FAULTS.filter(({ promise }) => groupOf(promise) === group)) {
      const condition = conditionOf(fault, group);
      const title = `${fault.name} in variant ${condition.variant}: ${fault.title}`;
      it.concurrent(title, { timeout: TIMEOUT_MS }, async ({ expect }) => {
        const { result, error } = await judges.judge(condition);
        expect(error).toBeNull();
        expect(complaints(fault, result?.findings ?? [])).toEqual([]);
      });
    }
  });
}

function conditionOf(fault: Fault, group: PromiseGroup): Condition {
  const keys = group === "rate" ? { keys: RATE_KEYS } : {};
  const only = groupPromises(fault);
  const { name, choices = {} } = fault;
  return { variant: variantFor(fault), choices, faults: [name], only, ...keys };
}

/** Each variant gets about half of the faults; the full matrix takes both of each. */
function variantFor(fault: Fault): Variant {
  const variants = variantsOf(fault);
  return variants[FAULTS.indexOf(fault) % variants.length] ?? "B";
}
