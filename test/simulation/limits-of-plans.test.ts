/** Limits of the larger plans that only submissions meet, or only a key that is used for longer. */

import { expect, it } from "vitest";
import type { PromiseId } from "../../contract/promises.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

it.each<[string, "quick" | "standard", readonly PromiseId[]]>([
  ["rate.burst/submissions-of-the-free-plan", "quick", ["rate.burst", "rate.rejected-not-run"]],
  ["rate.burst/plans-forgotten", "standard", ["rate.burst", "rate.sustained", "webhook.gives-up"]],
])("%s is seen without a load by the profile %s", async (fault, profile, only) => {
  const { findings } = await simulateGate({
    seed: 3,
    profile,
    only,
    service: { variant: "B", faults: [fault] },
    target: (target) => ({ ...target, load: null }),
  });
  const broken = findings.filter(({ verdict }) => verdict === "broken");
  expect(broken.map(({ promise }) => promise)).toEqual(["rate.burst"]);
  expect(broken[0]?.summary).toContain("pro-a: ");
});
