/**
 * Faults of jobs that end otherwise than completed, and of what becomes of jobs later. Queue waits
 * are told from submission times: hence the companion.
 */

import type { Hooks } from "../hooks.ts";
import { isDone, type Job } from "../jobs/job.ts";
import { fieldsIn, without, workerField } from "./answers.ts";
import { cancelling } from "./cancel.ts";
import { B_ONLY, type Fault, faultsOf, UNDER_LOAD } from "./fault.ts";
import {
  any,
  both,
  completed,
  endedBefore,
  failed,
  jobs,
  ofState,
  shownAs,
  timeOff,
  withCost,
  withDuration,
  withResult,
  withTimes,
} from "./job-views.ts";
import { vanishing } from "./lost-jobs.ts";

const timedOut = ofState("timeout");
const cancelled = ofState("cancelled");

/** Ours: what a service does with its old jobs, it does some seconds after their end. */
const LATER_MS = 5_000;
const later = endedBefore(LATER_MS);

const ofAnother = jobs(failed, (body) => ({
  ...body,
  [workerField(body)]: "echo",
}));

const dearer = (is: (job: Job) => boolean) =>
  jobs(both(is, later), (body) =>
    withCost(
      body,
      (credits) => credits + 1,
      (cost) => ({ total_usd: Number(cost.total_usd) + 0.01 }),
    ),
  );

const END = ["completed_at", "finished_at"] as const;

const withoutTimes = (which: (job: Job) => boolean, names: readonly string[], oneOf = 1) =>
  jobs(which, (body) => withTimes(body, (times) => without(times, ...names)), oneOf);

const UNTIMED_FAULTS: readonly Fault[] = faultsOf("job.shape", {
  "failed-without-end": ["A failed job has no end time", withoutTimes(failed, END), B_ONLY],
  "timeout-without-end": ["A timed-out job has no end time", withoutTimes(timedOut, END), B_ONLY],
  "timeout-without-duration": [
    "A timed-out job has no duration",
    withoutTimes(timedOut, ["duration_ms"]),
  ],
  "1-in-10-failed-without-end": [
    "1 failed job in 10 has no end time",
    withoutTimes(failed, END, 10),
    { ...B_ONLY, ...UNDER_LOAD },
  ],
  "near-of-completed-only": [
    "Only a completed job states when it was completed",
    withoutTimes((job) => failed(job) || timedOut(job), END),
    { variants: ["A"] },
  ],
  "near-failed-before-start": [
    "A failed job has no start and no duration",
    withoutTimes(failed, ["started_at", "duration_ms"]),
  ],
  "near-cancelled-without-end": [
    "A cancelled job has no end time",
    withoutTimes(cancelled, END),
    { seenWith: ["cancel.queued"] },
  ],
});

const JOB_FAULTS: readonly Fault[] = [
  ...faultsOf("job.shape", {
    "failed-of-another-worker": ["A failed job names another worker", ofAnother],
    "submitted-5-s-early": [
      "A job's submission is shown 5 s early",
      jobs(any, timeOff("submitted", -5_000)),
      { companions: ["load.latency"] },
    ],
    "cancelled-without-worker": [
      "A cancelled job names no worker",
      jobs(cancelled, (body) => without(body, "worker", "worker_id")),
      { seenWith: ["cancel.queued"] },
    ],
  }),
  ...faultsOf("job.terminal-final", {
    "failed-with-another-code": [
      "A failed job has another code after 5 s",
      jobs(both(failed, later), (body) => ({
        ...body,
        error: { ...fieldsIn(body, "error"), code: "ARCHIVED" },
      })),
    ],
    "failed-without-error": [
      "A failed job has no code and message of its own after 5 s",
      jobs(both(failed, later), (body) => ({ ...body, error: { code: "", message: "" } })),
    ],
    "timeout-becomes-failed": [
      "A timed-out job has failed after 5 s",
      jobs(both(timedOut, later), (body) => ({
        ...shownAs("failed")(body),
        error: { code: "ARCHIVED", message: "the archive knows no timeouts" },
      })),
    ],
    "timeout-costs-later": ["A timed-out job costs something after 5 s", dearer(timedOut)],
    "end-moves": [
      "The end of a completed job lies 2 s later when it is read again",
      jobs(both(completed, later), timeOff("finished", 2_000)),
    ],
    "files-removed": [
      "A completed job has no files any more after 5 s",
      jobs(both(completed, later), (body) => ({ ...body, files: [] })),
      B_ONLY,
    ],
    "long-result-evicted": [
      "A completed job's result of more than 1,000 characters is gone after 5 s",
      jobs(both(completed, later), (body) =>
        withResult(body, (result) => (JSON.stringify(result).length > 1_000 ? null : result)),
      ),
      { companions: ["job.result-present"] },
    ],
    "near-message-worded-anew": [
      "A failed job's message has another wording after 5 s",
      jobs(both(failed, later), (body) => ({
        ...body,
        error: { ...fieldsIn(body, "error"), message: "The worker failed." },
      })),
    ],
  }),
  ...faultsOf("job.duration", {
    "changes-later": [
      "A job's duration is another one after 5 s",
      jobs(
        both(completed, later),
        withDuration((ms) => ms + 150),
      ),
    ],
  }),
  ...faultsOf("job.never-lost", {
    "failed-vanishes": [
      "A failed job can't be found 5 s after its end",
      vanishing(1, both(failed, later)),
    ],
    "timeout-vanishes": [
      "A timed-out job can't be found 5 s after its end",
      vanishing(1, both(timedOut, later)),
    ],
  }),
];

const leavingOut = (which: (job: Job) => boolean) => (): Partial<Hooks> => ({
  listed: (listed) => listed.filter((job) => !which(job)),
});

const LIST_FAULTS: readonly Fault[] = [
  ...faultsOf("job.list-own", {
    "running-left-out": ["The list omits running jobs", leavingOut(ofState("running"))],
    "open-left-out": ["The list has ended jobs only", leavingOut((job) => !isDone(job))],
    "queued-left-out": [
      "The list omits queued jobs",
      leavingOut(ofState("queued")),
      { seenWith: ["cancel.queued", "submit.asynchronous"], curve: true },
    ],
    "failed-left-out": [
      "The list omits failed jobs",
      leavingOut(failed),
      { companions: ["job.list-limit"] },
    ],
  }),
  ...faultsOf("job.list-limit", {
    "150-when-many": [
      "The list has 150 jobs once there are 300",
      () => ({
        listed: (listed, recent) => (recent.length > 300 ? recent.slice(-150).reverse() : listed),
      }),
      UNDER_LOAD,
    ],
  }),
];

/** A load asks again of some jobs that ended. */
const ENDS_TWICE = {
  seenWith: ["job.error-only-on-failure"],
  companions: ["job.terminal-final"],
} as const;

const CANCEL_FAULTS: readonly Fault[] = [
  ...faultsOf("cancel.not-terminal", {
    "failed-cancelled": ["A failed job is cancelled", cancelling(failed), ENDS_TWICE],
    "timeout-cancelled": ["A timed-out job is cancelled", cancelling(timedOut), ENDS_TWICE],
  }),
  ...faultsOf("cancel.queued", {
    charged: [
      "A cancelled job is charged",
      () => ({
        cost: (cost, job) => (cancelled(job) ? { runMicroUsd: 10_000, infraMicroUsd: 0 } : cost),
      }),
    ],
    "has-a-run": [
      "A cancelled job tells of a run of 20 s",
      jobs(cancelled, (body) => withTimes(body, (times) => ({ ...times, duration_ms: 20_000 }))),
    ],
  }),
];

export const OTHER_END_FAULTS: readonly Fault[] = [
  ...UNTIMED_FAULTS,
  ...JOB_FAULTS,
  ...LIST_FAULTS,
  ...CANCEL_FAULTS,
];
