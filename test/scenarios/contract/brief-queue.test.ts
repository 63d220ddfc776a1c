/** Jobs that wait for a moment, whatever runs: a free key cancels one of them all the same. */

import { expect, it } from "vitest";
import { faultOf } from "../../../reference/faults/fault.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";

/** With two requests of a free key's pace in it. */
const QUEUE_MS = 400;
/** One of each plan but of the free one, so that a free key sends the general requests. */
const KEYS = new Set(["free-a", "free-c", "pro-a", "big"]);

const brief = faultOf("cancel.queued", "near-brief-queue", "each job waits for 0.4 s", () => ({
  queueMs: () => QUEUE_MS,
}));

it.each(["A", "B"] as const)("cancels a job in the moment that it waits, %s", async (variant) => {
  const { findings } = await simulateGate({
    seed: 1,
    profile: "quick",
    only: ["cancel.queued"],
    service: { variant, timeScale: 1, slots: { sleep: 64 }, faults: [brief.name] },
    otherFaults: [brief],
    target: (target) => ({ ...target, keys: target.keys.filter(({ name }) => KEYS.has(name)) }),
  });
  expect(findings.find(({ promise }) => promise === "cancel.queued")).toMatchObject({
    verdict: "kept",
  });
});
