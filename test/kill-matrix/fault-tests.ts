/**
 * Tests of faults, one at a time: its promise is broken, no other promise of its group is, and a
 * near miss stays kept. `npm run kill-matrix` holds each fault against all promises, in both
 * variants.
 */

import { afterAll, describe, it } from "vitest";
import { z } from "zod";
import { STALL_LAGS } from "../../contract/judges/webhook/case.ts";
import type { PromiseGroup } from "../../contract/promises.ts";
import { groupOf } from "../../contract/promises.ts";
import type { Variant } from "../../contract/states.ts";
import type { Finding } from "../../contract/verdict.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { FAULTS } from "../../reference/faults/index.ts";
import { RATE_KEYS, SLOWER_TIME_SCALE } from "./cells.ts";
import { complaints, groupPromises, variantsOf } from "./expectation.ts";
import type { Condition } from "./judge-service.ts";
import type { Judged, Judges } from "./judges.ts";
import { openJudges } from "./judges.ts";

/** Ours: all tests of a group begin at once and wait for their turn. */
const TIMEOUT_MS = 1_200_000;

/** Ours: a machine that is too busy to tell is seldom so five times, on ever slower clocks. */
const CLOCKS_AGAIN = [SLOWER_TIME_SCALE, SLOWER_TIME_SCALE, 0.1, 0.1];

/** Defines the tests of a group; `jobs` services at most are judged side by side. */
export function testFaultsOf(group: PromiseGroup, jobs: number): void {
  describe(`faults of ${group}`, () => {
    const judges = openJudges(jobs);
    afterAll(() => judges.close());
    for (const fault of FAULTS.filter(({ promise }) => groupOf(promise) === group)) {
      const condition = conditionOf(fault, group);
      const title = `${fault.name} in variant ${condition.variant}: ${fault.title}`;
      it.concurrent(title, { timeout: TIMEOUT_MS }, async ({ expect }) => {
        const { result, error } = await judgeSurely(judges, condition, fault);
        expect(error).toBeNull();
        expect(complaints(fault, result?.findings ?? [])).toEqual([]);
      });
    }
  });
}

/**
 * A verdict that says of itself that it can't tell asks for another run, on a slower clock; a wrong
 * one does not, unless it calls a wait kept that the machine's lag may have made longer.
 */
async function judgeSurely(judges: Judges, condition: Condition, fault: Fault): Promise<Judged> {
  let judged = await judges.judge(condition);
  for (const timeScale of CLOCKS_AGAIN) {
    if (!isUnsure(judged, fault)) break;
    judged = await judges.judgeNext({ ...condition, timeScale });
  }
  return judged;
}

function isUnsure({ result }: Judged, fault: Fault): boolean {
  const own = result?.findings.find(({ promise }) => promise === fault.promise);
  return own?.verdict === "inconclusive" || (own !== undefined && mayBeHidden(own, fault));
}

const waitEvidence = z.object({
  measuredMs: z.number().array(),
  lagMs: z.number().array(),
  toleratedMs: z.tuple([z.number(), z.number()]),
});

/** Whether waits are kept that may have been too short, had the machine not made them longer. */
function mayBeHidden({ verdict, evidence }: Finding, { nearMiss }: Fault): boolean {
  const { data } = waitEvidence.safeParse(evidence);
  if (verdict !== "kept" || nearMiss || data === undefined) return false;
  const { measuredMs, lagMs, toleratedMs } = data;
  return measuredMs.every((ms, at) => ms - STALL_LAGS * (lagMs[at] ?? 0) < toleratedMs[0]);
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
