/** An answer on its way while a webhook comes tells how the job stood before that. Spec §6. */

import { expect, it } from "vitest";
import { VARIANTS } from "../../contract/states.ts";
import { faultOf } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

/** Cancels show after 3 s; a poll half a second after the cancel is answered after that. */
const POLL_MS = 2_700;

const slow = faultOf("webhook.not-before-terminal", "near-slow-polls", "polls take 2.7 s", () => ({
  delayMs: (delayMs, { reason, request }) =>
    reason === "served" && request.route === "job" ? delayMs + POLL_MS : delayMs,
}));

it.each(VARIANTS)("polls that take long call no webhook early (variant %s)", async (variant) => {
  const { findings } = await simulateGate({
    seed: 1,
    only: ["webhook.not-before-terminal"],
    service: { variant, choices: { cancelAfter: "3" }, faults: [slow.name] },
    otherFaults: [slow],
  });
  const found = findingOf(findings, "webhook.not-before-terminal");
  expect(found.verdict, found.summary).toBe("kept");
});
