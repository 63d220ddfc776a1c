/**
 * Every fault of the embedded service, one at a time: its promise is broken, no other promise of
 * its group is, and a near miss stays kept. `npm run kill-matrix` holds each fault against all
 * promises, in both variants.
 */

import { describe, expect, it } from "vitest";
import { groupOf, PROMISE_GROUPS } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { RATE_KEYS } from "./cells.ts";
import { complaints, groupPromises, variantsOf } from "./expectation.ts";
import { judgeService } from "./judge-service.ts";

const TIMEOUT_MS = 180_000;

/** Each variant gets about half of the faults; the full matrix takes both of each. */
function variantFor(fault: Fault): Variant {
  const variants = variantsOf(fault);
  return variants[FAULTS.indexOf(fault) % variants.length] ?? "B";
}

for (const group of PROMISE_GROUPS) {
  const faults = FAULTS.filter((fault) => groupOf(fault.promise) === group);
  if (faults.length === 0) continue;
  describe.concurrent(`faults of ${group}`, () => {
    for (const fault of faults) {
      const variant = variantFor(fault);
      const title = `${fault.name} in variant ${variant}: ${fault.title}`;
      it(title, { timeout: TIMEOUT_MS }, async () => {
        const keys = group === "rate" ? { keys: RATE_KEYS } : {};
        const only = groupPromises(fault);
        const result = await judgeService({ variant, faults: [fault.name], only, ...keys });
        expect(complaints(fault, result.findings)).toEqual([]);
      });
    }
  });
}
