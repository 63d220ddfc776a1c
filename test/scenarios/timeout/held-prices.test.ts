/** A price may be held for a minute, and a profile that is over soon has little time to wait. */

import { expect, it } from "vitest";
import { simulateGate } from "../../../simulation/simulated-gate.ts";
import { findingOf } from "../../contract/findings.ts";
import { strangerIn } from "../../stranger/open-stranger.ts";

it.each([
  ["is charged", { choices: [], faults: ["timeout-on-the-balance"] }, "broken"],
  ["is held", { choices: ["billing=hold", "timeoutHolds=a-minute"], faults: [] }, "inconclusive"],
] as const)("in profile quick a timeout that %s is told as such", async (_, service, verdict) => {
  const openService = strangerIn({ variant: "A", ...service });
  const only = ["timeout.free"] as const;
  const { findings } = await simulateGate({ seed: 1, openService, only, profile: "quick" });
  expect(findingOf(findings, "timeout.free").verdict).toBe(verdict);
});
