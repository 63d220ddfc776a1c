/** A cancel that is answered after others were sent: each cancelled job is one job all the same. */

import { expect, it } from "vitest";
import { faultOf } from "../../../reference/faults/fault.ts";
import { simulateGate } from "../../../simulation/simulated-gate.ts";

/** By then one more job has been cancelled, 3 s after the first. */
const ANSWER_MS = 5_000;

const slow = faultOf("cancel.queued", "near-slow-cancel", "the first cancel takes 5 s", () => {
  let isFirst = true;
  return {
    delayMs: (delayMs, { request }) => {
      const isSlow = isFirst && request.route === "job" && request.method !== "GET";
      if (isSlow) isFirst = false;
      return isSlow ? delayMs + ANSWER_MS : delayMs;
    },
  };
});

it("counts no job twice that was cancelled while another cancel had no answer", async () => {
  const { findings } = await simulateGate({
    seed: 1,
    only: ["cancel.queued", "submit.unique-id"],
    service: { variant: "A", timeScale: 1, faults: [slow.name] },
    otherFaults: [slow],
  });
  const broken = findings.filter(({ verdict }) => verdict === "broken");
  expect(broken.map(({ summary }) => summary)).toEqual([]);
  expect(findings.find(({ promise }) => promise === "cancel.queued")?.verdict).toBe("kept");
});
