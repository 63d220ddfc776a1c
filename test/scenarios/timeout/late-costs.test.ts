/** Jobs that tell their cost some seconds after their end are no fall that nothing explains. */

import { expect, it } from "vitest";
import { VARIANTS } from "../../../contract/states.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { findingOf } from "../../contract/findings.ts";

it.each(VARIANTS)("a cost that is told late takes no second wave, variant %s", async (variant) => {
  const service = { variant, choices: { costAfter: "3" } } as const;
  const only = ["timeout.free"] as const;
  const { findings } = await simulateGate({ seed: 3, service, only, profile: "quick" });
  expect(findingOf(findings, "timeout.free")).toMatchObject({
    verdict: "kept",
    summary: "12 jobs cost nothing; the balance did not fall",
  });
});
