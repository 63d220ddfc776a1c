/**
 * What ran before a soak may be charged while it lasts: that is no fault of the soak's books, and
 * the question is asked again when nothing ran before.
 */

import { expect, it } from "vitest";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { SURROUNDINGS } from "../../simulation/worlds.ts";

it("charges of earlier scenarios that are booked late break nothing", async () => {
  const { findings } = await simulateGate({
    seed: 15,
    profile: "standard",
    surroundings: SURROUNDINGS.office,
    service: { variant: "A", choices: { charge: "end", storedAfter: "1.5", balanceAfter: "3" } },
  });
  const found = findings.find(({ promise }) => promise === "load.accounting");
  expect(found).toMatchObject({
    verdict: "kept",
    evidence: { inDoubtAtFirst: expect.stringContaining("charges of jobs before the soak") },
  });
});

it("a balance that falls too fast is broken all the same, in a gate of all promises", async () => {
  const { findings } = await simulateGate({
    seed: 3,
    profile: "standard",
    service: { variant: "A", faults: ["load.accounting/1-percent-more"] },
  });
  const found = findings.find(({ promise }) => promise === "load.accounting");
  expect(found?.verdict).toBe("broken");
});
