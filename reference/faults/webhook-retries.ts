/**
 * Faults of webhook redelivery. Who never retries does not retry after a late answer either:
 * hence the companion. Waits are in the service's stated time.
 */

import { WEBHOOK_RETRY_WAITS_MS } from "../../contract/webhook-schedule.ts";
import type { Attempt, Hooks } from "../hooks.ts";
import type { Job } from "../jobs/job.ts";
import { chosenOneIn, type Fault, type FaultScene, fault, nearMiss } from "./fault.ts";

/** Counts failures of some kind as successes: no retry follows. */
const content = (which: (attempt: Attempt) => boolean) => (): Partial<Hooks> => ({
  delivered: (success, attempt) => success || which(attempt),
});

/** Sends again what was answered 200, for as long as `which` says so. */
const repeating = (waitMs: number, which: (attempt: Attempt) => boolean, oneOf = 1) => {
  return ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return {
      repeatMs: (healthy, attempt) => (which(attempt) && chosen(attempt.job) ? waitMs : healthy),
    };
  };
};

const waiting = (number: number, bend: (waitMs: number) => number) => (): Partial<Hooks> => ({
  retryWaitMs: (waitMs, attempt) =>
    waitMs !== null && attempt.number === number ? bend(waitMs) : waitMs,
});

/** A retry beyond the last one, so many ms after it. */
const further = (waitMs: number, attempts: number) => (): Partial<Hooks> => ({
  retryWaitMs: (healthy, { number }) => (healthy === null && number < attempts ? waitMs : healthy),
});

const answering = (limitMs: number) => (): Partial<Hooks> => ({ answerLimitMs: () => limitMs });

/** Attempts in all, the first one included. Spec §6. */
const ATTEMPTS = WEBHOOK_RETRY_WAITS_MS.length + 1;

interface WaitFaults {
  promise: "webhook.wait-1" | "webhook.wait-2" | "webhook.wait-3";
  number: number;
  /** Seconds by which a wait is off: outside of what is tolerated, inside, and at its edge. */
  broken: { early: readonly number[]; late: readonly number[] };
  near: { early: readonly number[]; late: readonly number[] };
  edge: { early: readonly number[]; late: readonly number[] };
}

/** Tolerated: 0.5 s early; late by the larger of 2 s and 10 %. */
const WAITS: readonly WaitFaults[] = [
  {
    promise: "webhook.wait-1",
    number: 1,
    broken: { early: [0.75, 1, 3], late: [3, 10] },
    near: { early: [0.2], late: [0.5, 1] },
    edge: { early: [0.5], late: [] },
  },
  {
    promise: "webhook.wait-2",
    number: 2,
    broken: { early: [1, 3, 10], late: [4.5, 10] },
    near: { early: [0.2], late: [0.5, 1, 1.5] },
    edge: { early: [0.5], late: [3] },
  },
  {
    promise: "webhook.wait-3",
    number: 3,
    broken: { early: [1, 3, 10], late: [45] },
    near: { early: [0.2], late: [0.5, 1, 3, 10, 15] },
    edge: { early: [0.5], late: [] },
  },
];

function waitFaults({ promise, number, broken, near, edge }: WaitFaults): Fault[] {
  const by = (shift: number) => waiting(number, (waitMs) => waitMs + shift * 1000);
  const each = (
    { early, late }: WaitFaults["near"],
    make: (how: string, title: string, create: Fault["create"]) => Fault,
  ) => [
    ...early.map((s) => make(`${s}-s-early`, `Wait ${number} ends ${s} s too early`, by(-s))),
    ...late.map((s) => make(`${s}-s-late`, `Wait ${number} ends ${s} s too late`, by(s))),
  ];
  const gone = waiting(number, () => 0);
  return [
    ...each(broken, (...how) => fault(promise, ...how)),
    fault(promise, "none", `There is no wait ${number}`, gone),
    ...each(edge, (...how) => fault(promise, ...how, { curve: true })),
    ...each(near, (...how) => nearMiss(promise, ...how)),
  ];
}

export const WEBHOOK_RETRY_FAULTS: readonly Fault[] = [
  fault("webhook.once", "twice", "A delivery is repeated after 1 s", repeating(1_000, isFirst)),
  fault(
    "webhook.once",
    "again-after-30-s",
    "It is repeated after 30 s",
    repeating(30_000, isFirst),
  ),
  fault("webhook.once", "once-in-a-while", "1 in 4 is repeated", repeating(5_000, isFirst, 4)),
  ...[20, 200, 1_000].map((oneOf) =>
    fault(
      "webhook.once",
      `1-in-${oneOf}`,
      `1 delivery in ${oneOf} is repeated after 5 s`,
      repeating(5_000, isFirst, oneOf),
      { curve: true },
    ),
  ),
  fault("webhook.retried", "never", "A failed delivery is not retried", content(all), {
    companions: ["webhook.answer-time"],
  }),
  fault(
    "webhook.retried",
    "not-after-404",
    "A delivery that was answered 404 is not retried",
    content(({ status }) => status === 404),
  ),
  fault(
    "webhook.retried",
    "not-after-500",
    "A delivery that was answered 500 is not retried",
    content(({ status }) => status >= 500),
  ),
  fault(
    "webhook.retried",
    "not-after-reset",
    "A delivery that was broken off is not retried",
    content(({ cause }) => cause === "broken-off"),
  ),
  fault(
    "webhook.retried",
    "not-after-refused",
    "A delivery whose connection was refused is not retried",
    content(({ cause }) => cause === "refused"),
  ),
  fault(
    "webhook.retried",
    "not-after-silence",
    "A delivery that got no answer is not retried",
    content(({ cause }) => cause === "no-answer"),
    { companions: ["webhook.answer-time"] },
  ),
  ...WAITS.flatMap(waitFaults),
  fault("webhook.gives-up", "fourth-retry", "A fourth retry comes", further(300_000, ATTEMPTS + 1)),
  fault("webhook.gives-up", "soon-again", "It comes after 30 s", further(30_000, ATTEMPTS + 1)),
  fault("webhook.gives-up", "never", "Retries go on and on", further(30_000, 100)),
  fault("webhook.answer-time", "4-s", "An answer counts within 4 s only", answering(4_000)),
  fault("webhook.answer-time", "17-s", "An answer counts within 17 s", answering(17_000)),
  nearMiss("webhook.answer-time", "9.5-s", "An answer counts within 9.5 s", answering(9_500)),
  nearMiss("webhook.answer-time", "10.5-s", "An answer counts within 10.5 s", answering(10_500)),
  fault(
    "webhook.recovers",
    "goes-on",
    "A retry that was answered 200 is not the last",
    repeating(20_000, ({ number }) => number > 1 && number < ATTEMPTS),
  ),
];

function isFirst({ number }: Attempt): boolean {
  return number === 1;
}

function all(): boolean {
  return true;
}
