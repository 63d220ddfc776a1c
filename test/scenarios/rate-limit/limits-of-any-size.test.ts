/** Keys whose limits are of another size than the usual plans': custom ones may be. Spec §8. */

import { describe, expect, it } from "vitest";
import { PROMISE_IDS } from "../../../contract/promises.ts";
import { createKeys } from "../../../reference/accounts/keys.ts";
import type { Choices } from "../../../reference/choices.ts";
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

/** A window of a minute, longer than any press; and bursts in which a request is much. */
const SIZES = [
  [10, 600, "aligned-window", "standard", 2],
  [10, 600, "aligned-window", "standard", 3],
  [10, 150, "fixed-window", "standard", 2],
  [2, 2, "fixed-window", "quick", 1],
] as const satisfies readonly (readonly [number, number, Choices["limiter"], string, number])[];

describe("a service that keeps custom limits", () => {
  it.each(SIZES)("is not called broken: %d/s, bursts of %d, %s", async (...row) => {
    const [sustained, burst, limiter, profile, seed] = row;
    const keys = createKeys(seed).map((key) =>
      key.plan === "free" && key.state === "active"
        ? { ...key, plan: "enterprise" as const, sustained, burst }
        : key,
    );
    const only = PROMISE_IDS.filter((id) => id.startsWith("rate."));
    const service = { seed, choices: { limiter } };
    const { findings } = await simulateGate({ seed, keys, service, profile, only });
    expect(findings.filter(({ verdict }) => verdict === "broken")).toEqual([]);
  });
});
