/**
 * A service of several instances: each of them may know a new job only some time after it was
 * accepted, whatever it is asked. A client asks again.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";

/** Ours: shorter than views may lag, and as long as a cancel may meet it. */
const LAG_MS_MAX = 1_500;

const replicas: Fault["create"] = ({ clock, random }) => ({
  visible: (isVisible, { submittedAtMs }) =>
    isVisible && clock.nowMs() - submittedAtMs > random() * LAG_MS_MAX,
});

const unknown: Fault["create"] = () => ({
  cancel: () => "refuse",
  answer: (answer, { reason }) =>
    reason === "cancel-refused" ? { ...answer, status: 404 } : answer,
});

it.each([
  ["A new job is not known everywhere at once", "A", replicas, "kept"],
  ["A new job is not known everywhere at once", "B", replicas, "kept"],
  ["A cancel is answered 404, and does nothing", "A", unknown, "broken"],
  ["A cancel is answered 404, and does nothing", "B", unknown, "broken"],
] as const)("%s, in variant %s", async (title, variant, create, verdict) => {
  const promise = "cancel.queued";
  const fault: Fault = { name: `${promise}/here`, promise, title, nearMiss: false, create };
  const { findings } = await simulateGate({
    seed: 1,
    only: [promise],
    service: { variant, faults: [fault.name] },
    otherFaults: [fault],
  });
  const found = findings.find((each) => each.promise === promise);
  expect(found?.verdict, found?.summary).toBe(verdict);
});
