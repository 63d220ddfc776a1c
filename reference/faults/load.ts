/**
 * Faults that a soak finds. A job that is lost among many is lost, a webhook that is missing is
 * not delivered, a queue that grows makes jobs wait longer and longer, and jobs without an end pile
 * up, hold their slots and are never stopped: hence the companions.
 */

import type { Hooks } from "../hooks.ts";
import type { Answer, AnswerContext } from "../http.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { onAnswer } from "./answers.ts";
import { loadOf } from "./current-load.ts";
import { chosenOneIn, type Fault, type FaultScene, fault, nearMiss, oneIn } from "./fault.ts";
import { any } from "./job-views.ts";
import { endless, vanishing } from "./lost-jobs.ts";

/** Ours: four fifths of what the embedded target offers. */
const CAPPED_PER_SECOND = 16;

/** Keeps 1 job in `oneOf` in the queue for so long. */
const stuckInQueue =
  (oneOf: number, stuckMs: number) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return { queueMs: (waitMs, job) => (chosen(job) ? Math.max(waitMs, stuckMs) : waitMs) };
  };

/** Lets so many jobs leave the queue in a second, one after another. */
function capped({ clock }: FaultScene): Partial<Hooks> {
  let nextMs = 0;
  return {
    queueMs(waitMs) {
      const nowMs = clock.nowMs();
      nextMs = Math.max(nowMs, nextMs + 1_000 / CAPPED_PER_SECOND);
      return Math.max(waitMs, nextMs - nowMs);
    },
  };
}

/** Holds back accepted answers, 1 in `oneOf` of a busy service. */
const slow =
  (extraMs: number, oneOf: number) =>
  ({ clock, random }: FaultScene): Partial<Hooks> => {
    const load = loadOf(clock);
    return {
      delayMs(delayMs, { reason }) {
        if (reason !== "accepted") return delayMs;
        load.add();
        return random() * oneOf < load.strain() ? delayMs + extraMs : delayMs;
      },
    };
  };

/** Lets jobs wait longer in the queue, 1 in `oneOf` of a busy service. */
const waitingLonger =
  (extraMs: number, oneOf: number) =>
  ({ clock, random }: FaultScene): Partial<Hooks> => {
    const load = loadOf(clock);
    return {
      queueMs(waitMs) {
        load.add();
        return random() * oneOf < load.strain() ? waitMs + extraMs : waitMs;
      },
    };
  };

/**
 * Every submission is answered a little later than the one before it. Ours: slow enough that the
 * last third of 2,400 jobs still grows, and the first of 200 is well below it.
 */
const AGEING_MS = { each: 2, max: 5_000 };

function ageing(): Partial<Hooks> {
  let accepted = 0;
  return {
    delayMs(delayMs, { reason }) {
      if (reason !== "accepted") return delayMs;
      accepted += 1;
      return delayMs + Math.min(AGEING_MS.max, accepted * AGEING_MS.each);
    },
  };
}

const ofJobs = ({ request, reason }: AnswerContext) =>
  reason === "accepted" || (reason === "served" && request.route === "job");

/** Damages 1 answer in 100 to submissions and polls. */
const damaging =
  (bend: (answer: Answer) => Answer) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const when = oneIn(100, random);
    return onAnswer((context) => ofJobs(context) && when(), bend);
  };

/** Sends no webhook of 1 job in `oneOf`. */
const notSent =
  (oneOf: number) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(oneOf, random);
    return { webhook: (message, job) => (chosen(job) ? null : message) };
  };

const INTERNAL_ERROR: Answer = {
  status: 500,
  headers: {},
  body: { error: "internal_error", message: "something went wrong", status: 500 },
};

const chargedTwice =
  (oneOf: number) =>
  ({ random }: FaultScene): Partial<Hooks> => {
    const when = oneIn(oneOf, random);
    return { charge: (microUsd) => (when() ? 2 * microUsd : microUsd) };
  };

const LOST = { companions: ["job.never-lost"] } as const;
const PILED_UP = { companions: ["job.never-lost", "load.throughput", "load.stable"] } as const;
const HOLDING_SLOTS = {
  companions: [...PILED_UP.companions, "load.latency", "timeout.fires"],
} as const;
const RARE = { ...LOST, curve: true } as const;
const UNSENT = { companions: ["webhook.delivered"] } as const;

export const LOAD_FAULTS: readonly Fault[] = [
  fault("load.no-losses", "1-in-20", "1 job in 20 can't be found", vanishing(20, any), LOST),
  fault("load.no-losses", "1-in-200", "1 job in 200 can't be found", vanishing(200, any), RARE),
  fault(
    "load.no-losses",
    "1-in-1000",
    "1 job in 1,000 can't be found",
    vanishing(1_000, any),
    RARE,
  ),
  fault(
    "load.no-losses",
    "at-the-end",
    "1 job in 20 is gone once it ended",
    vanishing(20, isDone),
    LOST,
  ),
  fault("load.no-losses", "never-ends", "1 job in 20 runs for ever", endless(20), HOLDING_SLOTS),
  fault(
    "load.no-losses",
    "never-starts",
    "1 job in 20 stays in the queue for ever",
    stuckInQueue(20, Number.POSITIVE_INFINITY),
    PILED_UP,
  ),
  nearMiss(
    "load.no-losses",
    "back-of-queue",
    "1 job in 10 stays in the queue for 2 s",
    stuckInQueue(10, 2_000),
  ),
  fault("load.throughput", "capped", "16 jobs a second are started, and no more", capped, {
    companions: ["load.latency", "load.stable", "job.never-lost", "load.no-losses"],
  }),
  fault(
    "load.latency",
    "slow-submit",
    "Of a busy service, 1 answer in 20 takes 1.5 s",
    slow(1_500, 20),
  ),
  fault(
    "load.latency",
    "slow-queue",
    "Of a busy service, 1 job in 20 waits 8 s",
    waitingLonger(8_000, 20),
  ),
  fault(
    "load.errors",
    "500",
    "1 answer in 100 is 500",
    damaging(() => INTERNAL_ERROR),
  ),
  fault(
    "load.errors",
    "reset",
    "1 connection in 100 is reset",
    damaging((answer) => ({ ...answer, delivery: "reset" })),
  ),
  fault(
    "load.errors",
    "malformed",
    "1 body in 100 is cut off",
    damaging((answer) => ({ ...answer, text: JSON.stringify(answer.body).slice(0, -9) })),
    { companions: ["job.shape", "submit.accepted-shape"] },
  ),
  fault(
    "load.errors",
    "dripping",
    "1 body in 100 drips",
    damaging((answer) => ({ ...answer, delivery: "drip" })),
    { companions: ["load.latency"] },
  ),
  fault("load.webhooks", "1-in-20", "1 webhook in 20 is not sent", notSent(20), UNSENT),
  fault("load.webhooks", "1-in-100", "1 webhook in 100 is not sent", notSent(100), {
    ...UNSENT,
    curve: true,
  }),
  fault("load.webhooks", "1-in-1000", "1 webhook in 1,000 is not sent", notSent(1_000), {
    ...UNSENT,
    curve: true,
  }),
  fault(
    "load.accounting",
    "1-percent-more",
    "The balance falls by 1 % more than jobs cost",
    (): Partial<Hooks> => ({ charge: (microUsd) => microUsd * 1.01 }),
  ),
  fault("load.accounting", "charged-twice", "1 job in 20 is charged twice", chargedTwice(20)),
  fault(
    "load.accounting",
    "1-in-200-charged-twice",
    "1 job in 200 is charged twice",
    chargedTwice(200),
    { curve: true },
  ),
  fault("load.stable", "ageing", "Answers take 2 ms longer with each job", ageing, {
    companions: ["load.latency"],
  }),
];
