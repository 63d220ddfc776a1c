/**
 * Faults that a soak finds. A job that is lost among many is lost, a webhook that is missing is
 * not delivered, a queue that grows makes jobs wait longer and longer: hence the companions.
 */

import type { Hooks } from "../hooks.ts";
import type { Answer, AnswerContext } from "../http.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { onAnswer } from "./answers.ts";
import { chosenOneIn, type Fault, type FaultScene, fault, nearMiss, oneIn } from "./fault.ts";
import { recentCount } from "./rolling.ts";

/** Ours: 3 submissions a second over 5 s are load; the checks of single jobs send fewer. */
const LOAD = { withinMs: 5_000, submissions: 15 };
/** Ours: the capped service completes this share of what is offered. */
const CAPPED_SHARE = 0.8;

const vanishing = (when: (job: Job) => boolean) => (): Partial<Hooks> => {
  const chosen = chosenOneIn<Job>(200);
  return { visible: (visible, job) => visible && !(chosen(job) && when(job)) };
};

function endless(): Partial<Hooks> {
  const chosen = chosenOneIn<Job>(200);
  return {
    runMs: (runMs, job) => (chosen(job) ? Number.POSITIVE_INFINITY : runMs),
    limitMs: (limitMs, job) => (chosen(job) ? Number.POSITIVE_INFINITY : limitMs),
  };
}

/** Ours: a little longer than the load of a quick run, of 12 s. */
const BACK_OF_QUEUE_MS = 14_000;

/** Keeps 1 job in 200 in the queue for ever, or until some time after the load began. */
const stuckInQueue =
  (untilMs: number) =>
  ({ clock }: FaultScene): Partial<Hooks> => {
    const chosen = chosenOneIn<Job>(200);
    const recent = recentCount(LOAD.withinMs, clock);
    let sinceMs: number | null = null;
    return {
      queueMs(waitMs, job) {
        recent.add();
        if (recent.current() >= LOAD.submissions) sinceMs ??= clock.nowMs();
        if (sinceMs === null || !chosen(job)) return waitMs;
        return Math.max(waitMs, sinceMs + untilMs - clock.nowMs());
      },
    };
  };

/** Lets jobs leave the queue at a share of the rate at which they come. */
function capped({ clock }: FaultScene): Partial<Hooks> {
  const recent = recentCount(LOAD.withinMs, clock);
  let lastMs = 0;
  let nextMs = 0;
  return {
    queueMs(waitMs) {
      recent.add();
      const nowMs = clock.nowMs();
      const sinceLastMs = nowMs - lastMs;
      lastMs = nowMs;
      if (recent.current() < LOAD.submissions) return waitMs;
      nextMs = Math.max(nowMs, nextMs + sinceLastMs / CAPPED_SHARE);
      return Math.max(waitMs, nextMs - nowMs);
    },
  };
}

/** Holds back 1 accepted answer in `oneOf`, under load only. */
const slow =
  (extraMs: number, oneOf: number) =>
  ({ clock }: FaultScene): Partial<Hooks> => {
    const recent = recentCount(LOAD.withinMs, clock);
    const when = oneIn(oneOf);
    return {
      delayMs(delayMs, { reason }) {
        if (reason !== "accepted") return delayMs;
        recent.add();
        return recent.current() >= LOAD.submissions && when() ? delayMs + extraMs : delayMs;
      },
    };
  };

/** Lets 1 job in `oneOf` wait longer in the queue, under load only. */
const waitingLonger =
  (extraMs: number, oneOf: number) =>
  ({ clock }: FaultScene): Partial<Hooks> => {
    const recent = recentCount(LOAD.withinMs, clock);
    const when = oneIn(oneOf);
    return {
      queueMs(waitMs) {
        recent.add();
        return recent.current() >= LOAD.submissions && when() ? waitMs + extraMs : waitMs;
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
const damaging = (bend: (answer: Answer) => Answer) => (): Partial<Hooks> => {
  const when = oneIn(100);
  return onAnswer((context) => ofJobs(context) && when(), bend);
};

const INTERNAL_ERROR: Answer = {
  status: 500,
  headers: {},
  body: { error: "internal_error", message: "something went wrong", status: 500 },
};

const LOST = { companions: ["job.never-lost"] } as const;

export const LOAD_FAULTS: readonly Fault[] = [
  fault(
    "load.no-losses",
    "1-in-200",
    "1 job in 200 can't be found",
    vanishing(() => true),
    LOST,
  ),
  fault("load.no-losses", "at-the-end", "1 in 200 is gone once it ended", vanishing(isDone), LOST),
  fault("load.no-losses", "never-ends", "1 job in 200 runs for ever", endless, LOST),
  fault(
    "load.no-losses",
    "never-starts",
    "1 job in 200 stays in the queue for ever",
    stuckInQueue(Number.POSITIVE_INFINITY),
    LOST,
  ),
  nearMiss(
    "load.no-losses",
    "back-of-queue",
    "1 job in 200 stays in the queue until the load is over",
    stuckInQueue(BACK_OF_QUEUE_MS),
  ),
  fault("load.throughput", "capped", "Under load, 80 % of the offered jobs are run", capped, {
    companions: ["load.latency", "load.stable", "job.never-lost", "load.no-losses"],
  }),
  fault("load.latency", "slow-submit", "Under load, 1 answer in 20 takes 1.5 s", slow(1_500, 20)),
  fault(
    "load.latency",
    "slow-queue",
    "Under load, 1 job in 20 waits 8 s",
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
  fault(
    "load.webhooks",
    "1-in-100",
    "1 webhook in 100 is not sent",
    (): Partial<Hooks> => {
      const chosen = chosenOneIn<Job>(100);
      return { webhook: (message, job) => (message !== null && chosen(job) ? null : message) };
    },
    { companions: ["webhook.delivered"] },
  ),
  fault(
    "load.accounting",
    "1-percent-more",
    "The balance falls by 1 % more than jobs cost",
    (): Partial<Hooks> => ({ charge: (microUsd) => microUsd * 1.01 }),
  ),
  fault("load.accounting", "charged-twice", "1 job in 50 is charged twice", (): Partial<Hooks> => {
    const when = oneIn(50);
    return { charge: (microUsd) => (when() ? 2 * microUsd : microUsd) };
  }),
  fault("load.stable", "ageing", "Answers take 2 ms longer with each job", ageing, {
    companions: ["load.latency"],
  }),
];
