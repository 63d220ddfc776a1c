/**
 * A service of several instances: each of them may know a new job only some time after it was
 * accepted, whatever it is asked. A client asks again.
 */

import { expect, it } from "vitest";
import type { Fault } from "../../reference/faults/fault.ts";
import type { Hooks } from "../../reference/hooks.ts";
import type { Job } from "../../reference/jobs/job.ts";
import { simulateGate } from "../../simulation/simulated-gate.ts";
import { findingOf } from "../contract/findings.ts";

const UNKNOWN_AT_FIRST = "A new job is not known everywhere at once";
const UNKNOWN_FOR_LONG = "A new job is not known for 5 s";
const CANCEL_UNKNOWN_FOR_LONG = "A cancel does not know a new job for 5 s";
const CANCEL_UNKNOWN = "A cancel is answered 404, and does nothing";

const CREATED: Readonly<Record<string, Fault["create"]>> = {
  // Shorter than views may lag, and as long as a cancel may meet it.
  [UNKNOWN_AT_FIRST]: ({ clock, random }) => ({
    visible: (isVisible, { submittedAtMs }) =>
      isVisible && clock.nowMs() - submittedAtMs > random() * 1_500,
  }),
  [UNKNOWN_FOR_LONG]: ({ clock }) => ({
    visible: (isVisible, { submittedAtMs }) => isVisible && clock.nowMs() - submittedAtMs > 5_000,
  }),
  [CANCEL_UNKNOWN]: () => unknownToCancels(() => true),
  [CANCEL_UNKNOWN_FOR_LONG]: ({ clock }) =>
    unknownToCancels(({ submittedAtMs }) => clock.nowMs() - submittedAtMs <= 5_000),
};

function unknownToCancels(isUnknown: (job: Job) => boolean): Partial<Hooks> {
  return {
    cancel: (effect, job) => (isUnknown(job) ? "refuse" : effect),
    answer: (answer, { reason, job }) =>
      reason === "cancel-refused" && job !== null && isUnknown(job)
        ? { ...answer, status: 404 }
        : answer,
  };
}

it.each([
  [UNKNOWN_AT_FIRST, "A", "cancel.queued", "kept"],
  [UNKNOWN_AT_FIRST, "B", "cancel.queued", "kept"],
  [CANCEL_UNKNOWN, "A", "cancel.queued", "broken"],
  [CANCEL_UNKNOWN, "B", "cancel.queued", "broken"],
  [CANCEL_UNKNOWN_FOR_LONG, "A", "cancel.queued", "kept"],
  [CANCEL_UNKNOWN_FOR_LONG, "B", "cancel.queued", "kept"],
  [UNKNOWN_FOR_LONG, "A", "load.no-losses", "kept"],
  [UNKNOWN_FOR_LONG, "B", "load.no-losses", "kept"],
] as const)("%s: variant %s, %s is %s", async (title, variant, promise, verdict) => {
  const create = CREATED[title] ?? (() => ({}));
  const fault: Fault = { name: `${promise}/here`, promise, title, nearMiss: false, create };
  const { findings } = await simulateGate({
    seed: 1,
    only: [promise],
    profile: "quick",
    service: { variant, faults: [fault.name] },
    otherFaults: [fault],
  });
  const found = findingOf(findings, promise);
  expect(found.verdict, found.summary).toBe(verdict);
});
