/**
 * The specification names no time by which a job tells its cost: a service may work out its bills
 * once a minute. One that never tells it keeps something back.
 */

import { expect, it } from "vitest";
import { isObject } from "../../contract/decode/decoded.ts";
import type { Variant } from "../../contract/states.ts";
import { without } from "../../reference/faults/answers.ts";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

const NAME = "job.shape/cost-comes-late";

/** What a completed job cost is told so long after its end. */
function costAfter(seconds: number): Fault {
  return {
    name: NAME,
    promise: "job.shape",
    title: `A completed job tells no cost for ${seconds} s`,
    nearMiss: Number.isFinite(seconds),
    create: ({ clock }) => ({
      answer(answer, { job, reason }) {
        const endedAtMs = job?.state === "completed" ? job.finishedAtMs : null;
        if (reason !== "served" || endedAtMs === null || !isObject(answer.body)) return answer;
        if (clock.nowMs() - endedAtMs >= seconds * 1_000) return answer;
        return { ...answer, body: without(answer.body, "cost", "cost_credits") };
      },
    }),
  };
}

async function shapeOf(variant: Variant, seconds: number) {
  const { findings } = await simulateGate({
    seed: 1,
    only: ["job.shape"],
    service: { variant, faults: [NAME] },
    otherFaults: [costAfter(seconds)],
  });
  return findingOf(findings, "job.shape");
}

it.each([
  ["A", "quick", 60, "kept"],
  ["B", "standard", 60, "kept"],
  ["B", "quick", Number.POSITIVE_INFINITY, "inconclusive"],
] as const)(
  "variant %s, profile %s, the balance after a load whose jobs tell their costs after %d s",
  async (variant, profile, seconds, verdict) => {
    const { findings } = await simulateGate({
      ...{ seed: 1, profile, only: ["load.accounting"] },
      service: { variant, faults: [NAME] },
      otherFaults: [costAfter(seconds)],
    });
    const found = findingOf(findings, "load.accounting");
    expect(found.verdict, found.summary).toBe(verdict);
  },
);

it.each([
  ["A", "a minute after its end", 60, "kept"],
  ["B", "a minute after its end", 60, "kept"],
  ["A", "never", Number.POSITIVE_INFINITY, "broken"],
  ["B", "never", Number.POSITIVE_INFINITY, "broken"],
] as const)("variant %s, a job tells its cost %s", async (variant, _, seconds, verdict) => {
  const found = await shapeOf(variant, seconds);
  expect(found.verdict, found.summary).toBe(verdict);
});
