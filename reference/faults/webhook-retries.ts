/**
 * Faults of webhook redelivery. Who never retries does not retry after a late answer either:
 * hence the companion. Waits are in the service's stated time.
 */

import { WEBHOOK_RETRY_WAITS_MS } from "../../contract/webhook-schedule.ts";
import type { Attempt, Hooks } from "../hooks.ts";
import { type Fault, faultsOf, ofJobs, type Row } from "./fault.ts";

/** Counts failures of some kind as successes: no retry follows. */
const content = (which: (attempt: Attempt) => boolean) => (): Partial<Hooks> => ({
  delivered: (success, attempt) => success || which(attempt),
});

/** Sends again what was answered 200, for as long as `which` says so. */
const repeating = (waitMs: number, which: (attempt: Attempt) => boolean, oneOf = 1) =>
  ofJobs(oneOf, (chosen) => ({
    repeatMs: (healthy, attempt) => (which(attempt) && chosen(attempt.job) ? waitMs : healthy),
  }));

/** Two processes take each job for theirs: whatever the first one's attempts are answered. */
const twoSenders = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => ({
    secondSenderMs: (healthy, job) => (chosen(job) ? 2_000 : healthy),
  }));

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

/** Seconds by which a wait is off: outside of what is tolerated, at its edge, and inside. */
interface Shifts {
  broken: readonly number[];
  edge: readonly number[];
  near: readonly number[];
}

/** Tolerated: 0.5 s early; late by the larger of 2 s and 10 %. */
const WAITS: readonly Shifts[] = [
  { broken: [-0.75, -1, -3, 3, 10], edge: [-0.5], near: [-0.2, 0.5, 1] },
  { broken: [-1, -3, -10, 4.5, 10], edge: [-0.5, 3], near: [-0.2, 0.5, 1, 1.5] },
  { broken: [-1, -3, -10, 45], edge: [-0.5], near: [-0.2, 0.5, 1, 3, 10, 15] },
];

/** Waits that are a little off by choice as well hide small shifts, and make near ones large. */
const ON_TIME = { choices: { webhookWait: "exact", times: "even" } } as const satisfies Row[2];

function waitFaults({ broken, near, edge }: Shifts, at: number): Fault[] {
  const number = (at + 1) as 1 | 2 | 3;
  const off = (shifts: readonly number[], prefix = "", extras: Row[2] = {}) =>
    shifts.map((shift) => {
      const [seconds, side] = [Math.abs(shift), shift < 0 ? "early" : "late"];
      const title = `Wait ${number} ends ${seconds} s too ${side}`;
      const create = waiting(number, (waitMs) => waitMs + shift * 1000);
      return [`${prefix}${seconds}-s-${side}`, [title, create, { ...ON_TIME, ...extras }]] as const;
    });
  const gone = waiting(number, () => 0);
  return faultsOf(`webhook.wait-${number}`, {
    ...Object.fromEntries(off(broken)),
    none: [`There is no wait ${number}`, gone],
    ...Object.fromEntries([...off(edge, "", { curve: true }), ...off(near, "near-")]),
  });
}

export const WEBHOOK_RETRY_FAULTS: readonly Fault[] = [
  ...faultsOf("webhook.once", {
    twice: ["A delivery is repeated after 1 s", repeating(1_000, isFirst)],
    "again-after-30-s": ["It is repeated after 30 s", repeating(30_000, isFirst)],
    "two-senders": ["A second process delivers it as well, 2 s later", twoSenders(1)],
    "two-senders-of-1-in-5": ["A second process delivers 1 in 5 as well, 2 s later", twoSenders(5)],
    "once-in-a-while": ["1 in 4 is repeated", repeating(5_000, isFirst, 4)],
    ...Object.fromEntries(
      [20, 200, 1_000].map((oneOf) => {
        const title = `1 delivery in ${oneOf} is repeated after 5 s`;
        return [`1-in-${oneOf}`, [title, repeating(5_000, isFirst, oneOf), { curve: true }]];
      }),
    ),
  }),
  ...faultsOf("webhook.retried", {
    never: [
      "A failed delivery is not retried",
      content(() => true),
      { companions: ["webhook.answer-time"] },
    ],
    "not-after-404": [
      "A delivery that was answered 404 is not retried",
      content(({ status }) => status === 404),
    ],
    "not-after-500": [
      "A delivery that was answered 500 is not retried",
      content(({ status }) => status >= 500),
    ],
    "not-after-reset": [
      "A delivery that was broken off is not retried",
      content(({ cause }) => cause === "broken-off"),
    ],
    "not-after-refused": [
      "A delivery whose connection was refused is not retried",
      content(({ cause }) => cause === "refused"),
    ],
    "not-after-silence": [
      "A delivery that got no response is not retried",
      content(({ cause }) => cause === "no-answer"),
      { companions: ["webhook.answer-time"] },
    ],
  }),
  ...WAITS.flatMap(waitFaults),
  ...faultsOf("webhook.gives-up", {
    "fourth-retry": ["A fourth retry comes", further(300_000, ATTEMPTS + 1)],
    "soon-again": ["It comes after 30 s", further(30_000, ATTEMPTS + 1)],
    never: ["Retries go on and on", further(30_000, 100)],
  }),
  ...faultsOf("webhook.answer-time", {
    "4-s": ["An answer counts within 4 s only", answering(4_000)],
    "17-s": ["An answer counts within 17 s", answering(17_000)],
    "near-9.5-s": ["An answer counts within 9.5 s", answering(9_500)],
    "near-10.5-s": ["An answer counts within 10.5 s", answering(10_500)],
  }),
  ...faultsOf("webhook.recovers", {
    "goes-on": [
      "A retry that was answered 200 is not the last",
      repeating(20_000, ({ number }) => number > 1 && number < ATTEMPTS),
    ],
  }),
];

function isFirst({ number }: Attempt): boolean {
  return number === 1;
}
