/**
 * Faults that a soak finds. A job that is lost among many is lost, a webhook that is missing is
 * not delivered, a queue that grows makes jobs wait longer and longer, and jobs without an end pile
 * up, hold their slots and are never stopped: hence the companions.
 */

import type { Account } from "../accounts/account.ts";
import type { Hooks } from "../hooks.ts";
import type { Answer, AnswerContext } from "../http.ts";
import { isDone } from "../jobs/job.ts";
import { accepted, all, at, onAnswer } from "./answers.ts";
import { whenBusy } from "./current-load.ts";
import { type Fault, type FaultScene, faultsOf, ofJobs, sometimes } from "./fault.ts";
import { any } from "./job-views.ts";
import { endless, vanishing } from "./lost-jobs.ts";
import { onSubmitted } from "./submissions.ts";

/** Ours: four fifths of what the embedded target offers. */
const CAPPED_PER_SECOND = 16;

/** Keeps 1 job in `oneOf` in the queue for so long. */
const stuckInQueue = (oneOf: number, stuckMs: number) =>
  ofJobs(oneOf, (chosen) => ({
    queueMs: (waitMs, job) => (chosen(job) ? Math.max(waitMs, stuckMs) : waitMs),
  }));

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

/** Lets 1 job in `oneOf` fail that would complete. */
const failing = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => ({
    ending: (state, job) => (state === "completed" && chosen(job) ? "failed" : state),
  }));

/** Holds back accepted answers, 1 in `oneOf` of a busy service. */
const slow = (extraMs: number, oneOf: number) =>
  whenBusy(oneOf, (isHit) => ({
    delayMs: (delayMs, { reason }) =>
      reason === "accepted" && isHit() ? delayMs + extraMs : delayMs,
  }));

/** Lets jobs wait longer in the queue, 1 in `oneOf` of a busy service. */
const waitingLonger = (extraMs: number, oneOf: number) =>
  whenBusy(oneOf, (isHit) => ({
    queueMs: (waitMs) => (isHit() ? waitMs + extraMs : waitMs),
  }));

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

const isOfJobs = (context: AnswerContext) => accepted(context) || at("job", "served")(context);

/** Damages 1 answer in 100 to submissions and polls. */
const damaging = (bend: (answer: Answer) => Answer) =>
  sometimes(100, (isTime) => onAnswer(all(isOfJobs, isTime), bend));

/** Sends no webhook of 1 job in `oneOf`. */
const notSent = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => ({ webhook: (message, job) => (chosen(job) ? null : message) }));

const INTERNAL_ERROR: Answer = {
  status: 500,
  headers: {},
  body: { error: "internal_error", message: "something went wrong", status: 500 },
};

const chargedTwice = (oneOf: number) =>
  sometimes(oneOf, (isTime) => ({ charge: (microUsd) => (isTime() ? 2 * microUsd : microUsd) }));

/** Ours: a credit, as most runs cost. */
const REDELIVERY_MICRO_USD = 10_000;

/** Each redelivery of a job's webhook is charged to its account, and the job tells nothing. */
const charging = (): Partial<Hooks> => ({
  retryWaitMs(waitMs, { job }) {
    if (waitMs === null) return waitMs;
    const { id, worker, account, submittedAtMs: atMs } = job;
    account.charge({ job: id, worker: worker.id, microUsd: REDELIVERY_MICRO_USD, atMs });
    return waitMs;
  },
});

/** Usage is metered by account, worker and minute: of those jobs the first alone is charged. */
const chargingOneAMinute = ({ clock }: FaultScene): Partial<Hooks> => {
  const charged = new Set<string>();
  return {
    charge(microUsd, { account, worker }) {
      const key = `${account.id} ${worker.id} ${Math.floor(clock.nowMs() / 60_000)}`;
      if (microUsd === 0) return microUsd;
      if (charged.has(key)) return 0;
      charged.add(key);
      return microUsd;
    },
  };
};

/** Ours: half a credit. */
const LIST_MICRO_USD = 5_000;

/** By the accounts that had jobs. */
const chargingLists = ({ clock }: FaultScene): Partial<Hooks> => {
  const accounts = new Map<string, Account>();
  return {
    ...onSubmitted(({ account }) => accounts.set(account.id, account)),
    answer(answer, { reason, request, key }) {
      const account = accounts.get(key?.account ?? "");
      if (request.route !== "jobs" || reason !== "served" || account === undefined) return answer;
      const entry = { job: "", worker: "", microUsd: LIST_MICRO_USD, atMs: clock.nowMs() };
      account.charge(entry);
      return answer;
    },
  };
};

/** 1 submission in `oneOf` is answered so, where its account was taken by another one. */
const conflicting = (oneOf: number) =>
  sometimes(oneOf, (isTime) => {
    let isTaken = false;
    return {
      affordable(isAffordable) {
        isTaken = isAffordable && isTime();
        return isAffordable && !isTaken;
      },
      answer: (answer) => (isTaken && answer.status === 402 ? { ...answer, status: 409 } : answer),
    };
  });

const LOST = { companions: ["job.never-lost"] } as const;
const PILED_UP = { companions: ["job.never-lost", "load.throughput", "load.stable"] } as const;
const HOLDING_SLOTS = {
  companions: [...PILED_UP.companions, "load.latency", "timeout.fires"],
} as const;
const RARE = { ...LOST, curve: true } as const;
const UNSENT = { companions: ["webhook.delivered"] } as const;
const RARELY_UNSENT = { ...UNSENT, curve: true } as const;
/** In another unit, what each job is charged too much alike, or twice, is taken for the unit. */
const IN_OWN_UNIT = { choices: { balanceUnit: "credits-and-usd" } } as const;

/** A unit that is not the costs' in variant B: jobs have to tell it. */
const IN_CREDITS = { choices: { balanceUnit: "credits" } } as const;

export const LOAD_FAULTS: readonly Fault[] = [
  ...faultsOf("load.no-losses", {
    "1-in-20": ["1 job in 20 can't be found", vanishing(20, any), LOST],
    "1-in-200": ["1 job in 200 can't be found", vanishing(200, any), RARE],
    "1-in-1000": ["1 job in 1,000 can't be found", vanishing(1_000, any), RARE],
    "at-the-end": ["1 job in 20 is gone once it ended", vanishing(20, isDone), LOST],
    "never-ends": ["1 job in 20 never ends", endless(20), HOLDING_SLOTS],
    "never-starts": [
      "1 job in 20 never leaves the queue",
      stuckInQueue(20, Number.POSITIVE_INFINITY),
      PILED_UP,
    ],
    "near-back-of-queue": ["1 job in 10 stays in the queue for 2 s", stuckInQueue(10, 2_000)],
  }),
  ...faultsOf("load.throughput", {
    capped: [
      "At most 16 jobs a second are started",
      capped,
      { companions: ["load.latency", "load.stable", "job.never-lost", "load.no-losses"] },
    ],
    "1-in-10-fails": ["1 job in 10 that would complete fails", failing(10)],
  }),
  ...faultsOf("load.latency", {
    "slow-submit": ["Of a busy service, 1 answer in 20 takes 1.5 s", slow(1_500, 20)],
    "slow-queue": ["Of a busy service, 1 job in 20 waits 8 s", waitingLonger(8_000, 20)],
  }),
  ...faultsOf("load.errors", {
    "500": ["1 answer in 100 is 500", damaging(() => INTERNAL_ERROR)],
    reset: [
      "1 connection in 100 is reset",
      damaging((answer) => ({ ...answer, delivery: "reset" })),
    ],
    malformed: [
      "1 body in 100 is cut off",
      damaging((answer) => ({ ...answer, text: JSON.stringify(answer.body).slice(0, -9) })),
      { companions: ["job.shape", "submit.accepted-shape"] },
    ],
    dripping: [
      "1 body in 100 drips",
      damaging((answer) => ({ ...answer, delivery: "drip" })),
      { companions: ["load.latency"] },
    ],
    "unpaid-1-in-50": [
      "1 submission in 50 gets 402, whatever the account has",
      sometimes(50, (isTime) => ({ affordable: (isAffordable) => isAffordable && !isTime() })),
      { seenWith: ["load.accounting"] },
    ],
    "unknown-key-1-in-50": [
      "1 submission in 50 gets 401, with keys that are valid",
      sometimes(50, (isTime) => ({
        authenticate: (outcome, { route }) =>
          route === "submit" && isTime() ? { key: null, refusal: "invalid-key" } : outcome,
      })),
    ],
    "conflict-1-in-50": [
      "1 submission in 50 gets 409, as a store gives up on what others write as well",
      conflicting(50),
    ],
  }),
  ...faultsOf("load.webhooks", {
    "1-in-20": ["1 webhook in 20 is not sent", notSent(20), UNSENT],
    "1-in-100": ["1 webhook in 100 is not sent", notSent(100), RARELY_UNSENT],
    "1-in-1000": ["1 webhook in 1,000 is not sent", notSent(1_000), RARELY_UNSENT],
  }),
  ...faultsOf("load.accounting", {
    "1-percent-more": [
      "The balance falls by 1 % more than jobs cost",
      () => ({ charge: (microUsd) => microUsd * 1.01 }),
      IN_OWN_UNIT,
    ],
    "each-charged-twice": [
      "Every job is charged twice",
      () => ({ charge: (microUsd) => 2 * microUsd }),
      { ...IN_OWN_UNIT, companions: ["job.run-once"] },
    ],
    "charged-twice": ["1 job in 20 is charged twice", chargedTwice(20)],
    "1-in-200-charged-twice": ["1 job in 200 is charged twice", chargedTwice(200), { curve: true }],
    "1-in-20-not-charged": [
      "1 job in 20 is not charged, and tells a cost",
      ofJobs(20, (chosen) => ({ charge: (microUsd, job) => (chosen(job) ? 0 : microUsd) })),
    ],
    "one-a-minute-charged": [
      "Of an account's jobs of one worker, only the first of each minute is charged",
      chargingOneAMinute,
      IN_CREDITS,
    ],
    "lists-charged": ["Each read of the job list costs half a credit", chargingLists],
    "redeliveries-charged": ["Each redelivery of a webhook costs a credit", charging],
  }),
  ...faultsOf("job.run-once", {
    "each-charged-twice": [
      "Every job is charged twice, which the account shows without a load as well",
      () => ({ charge: (microUsd) => 2 * microUsd }),
      { ...IN_OWN_UNIT, seenWith: ["timeout.free"], companions: ["load.accounting"] },
    ],
  }),
  ...faultsOf("load.stable", {
    ageing: ["Answers take 2 ms longer with each job", ageing, { companions: ["load.latency"] }],
  }),
];
