/**
 * Faults of a few jobs in many, or of jobs that only a load has: what passes by shows them. Two
 * jobs under one identifier have one run and one webhook; a time that is wrong makes waits wrong;
 * what a limit does wrong it does wrong under load; and the balance follows no cost below zero.
 */

import type { Hooks } from "../hooks.ts";
import type { Answer } from "../http.ts";
import type { Job } from "../jobs/job.ts";
import { isDone } from "../jobs/job.ts";
import {
  accepted,
  all,
  at,
  type Fields,
  idField,
  onAnswer,
  onBody,
  without,
  withStatus,
  workerField,
} from "./answers.ts";
import { whenBusy } from "./current-load.ts";
import { B_ONLY, type Fault, faults, faultsOf, ofJobs, sometimes, UNDER_LOAD } from "./fault.ts";
import {
  any,
  asRunning,
  both,
  completed,
  costToldBefore,
  dearer,
  endedBefore,
  endedWithin,
  jobs,
  onJob,
  shownAs,
  timeOff,
  withCost,
  withoutResult,
  withTimes,
} from "./job-views.ts";
import { onSubmitted } from "./submissions.ts";
import { AT_ONCE, charging, ending, shifting } from "./timeout.ts";

/** The accepted answer without its time, 1 in `oneOf`. */
const untimed = (oneOf: number) =>
  sometimes(oneOf, (isTime) =>
    onBody(all(accepted, isTime), (body) => without(body, "created_at", "submitted_at")),
  );

/** As of a proxy that mixes up the answers of one connection to the service. */
const mixedUp = (oneOf: number) =>
  sometimes(oneOf, (isTime) => {
    let last: Answer | null = null;
    return {
      answer(answer, context) {
        if (!at("job", "served")(context)) return answer;
        const before = last ?? answer;
        last = answer;
        return isTime() ? before : answer;
      },
    };
  });

const with200 = (oneOf: number) =>
  sometimes(oneOf, (isTime) => onAnswer(all(accepted, isTime), withStatus(200)));

const with200WhenBusy = whenBusy(10, (isHit) => onAnswer(all(accepted, isHit), withStatus(200)));

/** 1 submission in `oneOf` is answered with the job before it, whoever's and of which worker. */
const repeatingAny = (oneOf: number, isFit: (job: Job) => boolean) =>
  sometimes(oneOf, (isTime) => {
    const made: Job[] = [];
    return {
      ...onSubmitted((job) => made.push(job)),
      reused: (job) => job ?? (isTime() ? (made.findLast(isFit) ?? null) : null),
    };
  });

const untimedJob = (oneOf: number) =>
  jobs(any, (body) => withTimes(body, (times, { submitted }) => without(times, submitted)), oneOf);

const ofOtherWorker = (body: Fields) => ({ ...body, [workerField(body)]: "worker-zero" });

const withError = (body: Fields) => ({ ...body, error: { code: "NONE", message: "no error" } });
const named = (body: Fields) => ({ ...body, [idField(body)]: "job_0" });

const lasting = (oneOf: number) =>
  jobs(
    isDone,
    (body) =>
      withTimes(body, (times) => {
        return { ...times, duration_ms: 4 * Number(times.duration_ms) + 9_000 };
      }),
    oneOf,
  );

/** Every second poll of a running job shows it in the queue. */
const toAndFro = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => {
    const polls = new Map<Job, number>();
    return onJob(
      (job) => job.state === "running" && chosen(job),
      (body, job) => {
        const poll = polls.get(job) ?? 0;
        polls.set(job, poll + 1);
        return poll % 2 === 0 ? body : shownAs("queued")(body);
      },
    );
  });

const goneAfter = (ms: number, oneOf: number) =>
  ofJobs(oneOf, (chosen, { clock }) => ({
    visible: (visible, job) => visible && !(endedBefore(ms)(job, clock) && chosen(job)),
  }));

/** Forgets the oldest jobs. */
const latestOnly = (most: number) => (): Partial<Hooks> => {
  const places = new WeakMap<Job, number>();
  let made = 0;
  return {
    ...onSubmitted((job) => {
      made += 1;
      places.set(job, made);
    }),
    visible: (visible, job) => visible && (places.get(job) ?? made) > made - most,
  };
};

/** Limits that stop other jobs than those that are there to run into them. Ours: 3 s. */
const stoppingAll = () => ({ limitMs: (limitMs: number) => Math.min(limitMs, 3_000) });

/** Ours: a limit of ten minutes is told by workers that may run for long. */
const stoppingOthers = () => ({
  limitMs: (limitMs: number, job: Job) =>
    job.worker.timeoutSeconds >= 600 ? Math.min(limitMs, 5_000) : limitMs,
});

const CURVE = { ...UNDER_LOAD, curve: true } as const;
const REUSED = {
  ...UNDER_LOAD,
  companions: [
    "webhook.delivered",
    "webhook.only-asked",
    "load.webhooks",
    "load.throughput",
    "load.latency",
    "job.duration",
    "job.shape",
    "submit.accepted-shape",
  ],
} as const;
const LIMITS = { seenWith: ["timeout.under-load"], companions: ["timeout.under-load"] } as const;

const SUBMISSIONS: readonly Fault[] = [
  ...faultsOf("submit.unique-id", {
    "1-in-50-of-any-worker": [
      "1 submission in 50 gets the identifier of the job before",
      repeatingAny(50, () => true),
      REUSED,
    ],
    "1-in-200-of-an-ended-job": [
      "1 submission in 200 gets the identifier of a job that ended",
      repeatingAny(200, isDone),
      REUSED,
    ],
  }),
  ...faultsOf("submit.accepted-status", {
    "1-in-50": ["1 job in 50 is accepted with 200", with200(50), UNDER_LOAD],
    "1-in-200": ["1 job in 200 is accepted with 200", with200(200), UNDER_LOAD],
    "1-in-1000": ["1 job in 1,000 is accepted with 200", with200(1_000), CURVE],
    busy: ["A busy service accepts 1 job in 10 with 200", with200WhenBusy, UNDER_LOAD],
  }),
  ...faultsOf("submit.accepted-shape", {
    "1-in-50": ["1 accepted object in 50 has no time", untimed(50), UNDER_LOAD],
    "1-in-200": ["1 accepted object in 200 has no time", untimed(200), UNDER_LOAD],
  }),
];

const VIEWS: readonly Fault[] = [
  ...faults(UNDER_LOAD, {
    "job.shape/1-in-50": ["1 job in 50 has no submission time", untimedJob(50)],
    "job.shape/1-in-200": ["1 job in 200 has no submission time", untimedJob(200)],
    "job.shape/1-in-50-of-another-worker": [
      "1 job in 50 names another worker",
      jobs(any, ofOtherWorker, 50),
    ],
    "job.shape/1-in-50-submitted-before": [
      "1 job in 50 states a submission 2 s before the accepted one",
      jobs(any, timeOff("submitted", -2_000), 50),
      { companions: ["load.latency"] },
    ],
    "job.same-id/1-in-50": ["1 job in 50 has another identifier", jobs(any, named, 50)],
    "job.same-id/1-in-50-of-another": [
      "1 poll in 50 is answered with the job of the poll before",
      mixedUp(50),
    ],
    "job.known-states/1-in-50": [
      "1 completed job in 50 has the status done",
      jobs(completed, (body) => ({ ...body, status: "done" }), 50),
      { companions: ["load.no-losses", "load.throughput", "job.never-lost"] },
    ],
  }),
  ...faultsOf("job.forward-only", {
    "to-and-fro": ["Every other poll of a running job shows it as queued", toAndFro(1)],
    "1-in-20-to-and-fro": [
      "Every other poll of 1 running job in 20 shows it as queued",
      toAndFro(20),
      CURVE,
    ],
  }),
];

const ENDS: readonly Fault[] = [
  ...faults(UNDER_LOAD, {
    "job.result-present/1-in-50": [
      "1 completed job in 50 has no result",
      jobs(completed, withoutResult, 50),
    ],
    "job.result-present/1-in-200": [
      "1 completed job in 200 has no result",
      jobs(completed, withoutResult, 200),
    ],
    "job.error-only-on-failure/1-in-50": [
      "1 completed job in 50 has an error",
      jobs(completed, withError, 50),
    ],
    "job.timestamps/1-in-50": [
      "1 job in 50 ended before it was submitted",
      jobs(isDone, timeOff("finished", -1_500, "submitted"), 50),
    ],
  }),
  ...faultsOf("job.duration", {
    "1-in-50": ["1 duration in 50 is four times the true one, and 9 s", lasting(50), UNDER_LOAD],
  }),
  ...faultsOf("job.files", {
    "1-in-50": [
      "Of 1 job in 50 the files are an object",
      jobs(completed, (body) => ({ ...body, files: {} }), 50),
      { ...B_ONLY, ...UNDER_LOAD },
    ],
    "1-in-7-unlisted": [
      "1 job in 7 with files has an empty list of them",
      jobs(completed, (body) => ({ ...body, files: [] }), 7),
      { ...B_ONLY, ...UNDER_LOAD },
    ],
    "near-1-in-3-filed": [
      "Their worker makes files of 1 job in 3",
      ofJobs(3, (chosen) =>
        onJob(
          (job) => job.state === "completed" && !chosen(job),
          (body) => ({ ...body, files: [] }),
        ),
      ),
      { ...B_ONLY, ...UNDER_LOAD },
    ],
  }),
  ...faultsOf("job.cost", {
    "negative-timeouts": [
      "A timed-out job costs less than nothing",
      jobs(
        (job) => job.state === "timeout",
        (body) =>
          withCost(
            body,
            () => -1,
            () => ({ total_usd: -0.01, run_usd: -0.01 }),
          ),
      ),
      { ...UNDER_LOAD, companions: ["load.accounting"] },
    ],
  }),
  ...faultsOf("job.terminal-final", {
    "1-in-5-dearer": [
      "1 completed job in 5 costs a cent more after 4 s",
      costToldBefore(4_000, dearer, 5),
      // The delivery told what it cost at first.
      { ...UNDER_LOAD, companions: ["webhook.truthful"] },
    ],
    "1-in-12-told-as-running-once-more": [
      "1 completed job in 12 is shown as running from 0.5 s to 3 s after its end",
      jobs(both(completed, both(endedBefore(500), endedWithin(3_000))), asRunning, 12),
      { seenWith: ["job.list-limit"] },
    ],
    "1-in-20-dearer": [
      "1 completed job in 20 costs a cent more after 4 s",
      costToldBefore(4_000, dearer, 20),
      { ...CURVE, companions: ["webhook.truthful"] },
    ],
  }),
  ...faultsOf("job.never-lost", {
    "gone-after-60-s": ["Jobs are gone 60 s after their end", goneAfter(60_000, 1), UNDER_LOAD],
    "latest-500-only": ["Of all jobs the latest 500 are kept", latestOnly(500), UNDER_LOAD],
    "1-in-5-gone-after-30-s": [
      "1 job in 5 is gone 30 s after its end",
      goneAfter(30_000, 5),
      UNDER_LOAD,
    ],
  }),
];

const LIMIT_FAULTS: readonly Fault[] = [
  ...faults(LIMITS, {
    "timeout.fires/1-in-50-fails": ["1 timeout in 50 is shown as failed", ending("failed", 50)],
    "timeout.fires/1-in-50-completes": [
      "1 timeout in 50 is shown as completed",
      ending("completed", 50),
    ],
    "timeout.not-early/all-after-3-s": [
      "Whatever its limit, a job is stopped after 3 s",
      stoppingAll,
      { companions: ["timeout.under-load", "load.throughput", "job.result-present"] },
    ],
    "timeout.not-early/another-after-5-s": [
      "Jobs of a worker with a long limit are stopped after 5 s",
      stoppingOthers,
      { ...UNDER_LOAD, companions: ["timeout.under-load", "load.throughput"] },
    ],
    "timeout.not-early/1-in-50": ["1 job in 50 is stopped 2 s early", shifting(-2, 50), AT_ONCE],
    "timeout.not-late/1-in-50": ["1 job in 50 is stopped 5 s late", shifting(5, 50)],
    "timeout.free/1-in-50": ["1 timeout in 50 is charged half the price", charging(0.5, 50)],
  }),
];

export const MANY_JOBS_FAULTS: readonly Fault[] = [
  ...SUBMISSIONS,
  ...VIEWS,
  ...ENDS,
  ...LIMIT_FAULTS,
];
