/** A sender of webhooks that a machine which stands still can't make retry. */

import type { Fault } from "../../reference/faults/fault.ts";

/** Waits for each answer for so long of real time, whatever the time scale. */
export function patientFor(answerMs: number): Fault {
  return {
    name: "webhook.answer-time/patient",
    promise: "webhook.answer-time",
    title: "An answer counts whenever it comes",
    nearMiss: false,
    create: ({ timeScale }) => ({ answerLimitMs: () => answerMs / timeScale }),
  };
}
