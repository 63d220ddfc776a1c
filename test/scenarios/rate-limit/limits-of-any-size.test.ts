/** A key whose limits are beyond what one generator sends, beside keys of the usual plans. */

import { expect, it } from "vitest";
import { simulateGate } from "../../../simulation/simulated-gate.ts";

const HUGE = { sustained: 5_000, burst: 10_000 };
const IDS = ["rate.limited", "rate.sustained", "rate.burst", "rate.all-endpoints"] as const;

/** The rate promises, with those keys' limits declared as huge. */
function judgedWithHuge(isHuge: (name: string) => boolean) {
  return simulateGate({
    seed: 7,
    only: [...IDS],
    target: (target) => ({
      ...target,
      keys: target.keys.map((key) => (isHuge(key.name) ? { ...key, ...HUGE } : key)),
    }),
  });
}

it("leaves a key alone that no generator can exceed, and judges the others", async () => {
  const { findings, notes } = await judgedWithHuge((name) => name.startsWith("big"));
  for (const id of IDS) {
    const found = findings.find(({ promise }) => promise === id);
    expect(found?.verdict, `${id}: ${found?.summary}`).toBe("kept");
    expect(found?.strength?.notTried).toContain("the limits of big-b");
    expect(found?.summary).toContain("free-a");
  }
  expect(notes.join("\n")).toContain("the limits of big-b are more than one generator can exceed");
});

it("says why nothing was looked at where all keys are of that kind", async () => {
  const { findings } = await judgedWithHuge(() => true);
  for (const id of IDS) {
    expect(findings.find(({ promise }) => promise === id)).toMatchObject({
      verdict: "unobserved",
      reason: "no key has limits that one generator can exceed",
    });
  }
});
