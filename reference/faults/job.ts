/**
 * Faults of a job's shape, of its way through the states, and of its end. A job that is told in
 * the other variant's words has an unknown spelling, too; what is lost of all jobs is lost of a
 * soak's, and never stopped; what is shown as waiting seems to run for less than it does; and a
 * state that changes is not the one that others tell: hence the companions.
 */

import { STATE_SPELLINGS } from "../../contract/states.ts";
import { wholeMs } from "../clock.ts";
import type { Job } from "../jobs/job.ts";
import {
  all,
  answering,
  at,
  because,
  type Fields,
  fieldsIn,
  idField,
  onAnswer,
  onBody,
  without,
  workerField,
} from "./answers.ts";
import { B_ONLY, type Fault, faultsOf, sometimes, UNDER_LOAD } from "./fault.ts";
import {
  any,
  archived,
  asRunning,
  both,
  completed,
  costToldBefore,
  dearer,
  done,
  endedBefore,
  endedWithin,
  jobs,
  ofCompleted,
  ofRunning,
  onJob,
  shownAs,
  youngerThan,
} from "./job-views.ts";
import { endless, endlessAfterHangUp, vanishing } from "./lost-jobs.ts";
import { connectionNumbers } from "./rate-connections.ts";

/** The other variant's words for the same job, as far as a reader would look. */
function otherVariant(body: Fields): Fields {
  if ("job_id" in body) {
    const { job_id, worker_id, status, error } = body;
    const times = fieldsIn(body, "timestamps");
    return {
      job_uuid: job_id,
      status: respelled(status, "B", "A"),
      worker: worker_id,
      created_at: times.submitted_at,
      error,
    };
  }
  const { job_uuid, worker, status, created_at, error } = body;
  const timestamps = { submitted_at: created_at };
  const job = { job_id: job_uuid, worker_id: worker, status: respelled(status, "A", "B") };
  return { ...job, timestamps, files: [], error };
}

function respelled(status: unknown, from: "A" | "B", to: "A" | "B"): unknown {
  const pairs = Object.entries(STATE_SPELLINGS[from]);
  const state = pairs.find(([, text]) => text === status)?.[0] ?? "running";
  return STATE_SPELLINGS[to][state as Job["state"]] ?? STATE_SPELLINGS[to].running;
}

/** What one instance of so many shows, where a balancer spreads connections over them in turn. */
function ofOneInstance(instances: number, bend: (body: Fields) => Fields): Fault["create"] {
  return () => {
    const number = connectionNumbers();
    const isIts: typeof isJob = ({ request }) => number(request.connection) % instances === 0;
    return onBody(all(isJob, isIts), bend);
  };
}

const isJob = at("job", "served");

const SHAPE_FAULTS: readonly Fault[] = [
  ...faultsOf("job.shape", {
    "no-worker": [
      "A job names no worker",
      jobs(any, (body) => without(body, "worker", "worker_id")),
    ],
    "worker-as-object": [
      "A job's worker is an object",
      jobs(any, (body) => ({ ...body, [workerField(body)]: { id: body[workerField(body)] } })),
    ],
    "once-in-a-while": [
      "1 read in 20 of a job names no worker",
      sometimes(20, (isTime) => onJob(isTime, (body) => without(body, "worker", "worker_id"))),
    ],
    "one-instance-of-four": [
      "1 instance of 4, to which connections are spread in turn, shows jobs that name no worker",
      ofOneInstance(4, (body) => without(body, "worker", "worker_id")),
    ],
    "mixed-variants": [
      "1 running job in 3 is shown in the other variant's words",
      ofRunning(otherVariant, 3),
      { companions: ["job.known-states"] },
    ],
    "near-more-fields": [
      "A job has further fields",
      jobs(any, (body) => ({ ...body, region: "eu", links: {} })),
    ],
  }),
  ...faultsOf("job.same-id", {
    "another-id": [
      "A job object has another identifier",
      jobs(any, (body, job) => ({ ...body, [idField(body)]: `run_${job.id.slice(4)}` })),
    ],
    "upper-case": [
      "A job's identifier is in upper case",
      jobs(any, (body, job) => ({ ...body, [idField(body)]: job.id.toUpperCase() })),
    ],
    "once-in-a-while": [
      "1 job object in 6 has another identifier",
      jobs(any, (body, job) => ({ ...body, [idField(body)]: `run_${job.id.slice(4)}` }), 6),
    ],
  }),
  ...faultsOf("job.unknown", {
    "answers-200": [
      "An unknown job is shown as an empty object",
      () => onAnswer(because("unknown-job"), () => ({ status: 200, headers: {}, body: {} })),
    ],
    "answers-400": ["An unknown job gets 400", answering("unknown-job", 400)],
    "breaks-off": [
      "Whoever asks for an unknown job has the connection closed",
      () => onAnswer(because("unknown-job"), (answer) => ({ ...answer, delivery: "reset" })),
    ],
  }),
];

/** As of a cache in front of some instances, which takes every read for a conditional one. */
const notModified = sometimes(3, (isTime) =>
  onAnswer(at("job", "served"), (answer) =>
    isTime() ? { ...answer, status: 304, body: undefined } : answer,
  ),
);

const LOST = { companions: ["load.no-losses", "load.throughput"] } as const;
const SEEN_LATER = { companions: ["timeout.not-early", "timeout.under-load"] } as const;

const LIFE_FAULTS: readonly Fault[] = [
  ...faultsOf("job.never-lost", {
    vanishes: ["1 job in 3 can't be found", vanishing(3, any), LOST],
    "vanishes-at-the-end": [
      "1 job in 3 can't be found once it has ended",
      vanishing(3, done),
      LOST,
    ],
    "known-late": ["1 job in 8 can't be found for its first 8 s", vanishing(8, youngerThan(8_000))],
    "vanishes-later": ["A job can't be found 2 s after its end", vanishing(1, endedBefore(2_000))],
    "ends-with-its-connection": [
      "A job never ends once its caller has closed the connection",
      () => endlessAfterHangUp(),
      LOST,
    ],
    "not-modified": ["1 answer in 3 about a job is 304, without a body", notModified],
    "never-ends": [
      "1 job in 3 never ends",
      endless(3),
      { companions: ["timeout.fires", ...LOST.companions, "load.latency", "load.stable"] },
    ],
  }),
  ...faultsOf("job.known-states", {
    "unknown-word": [
      "A running job is shown as processing",
      ofRunning((body) => ({
        ...body,
        status: body.status === "running" ? "processing" : "PROCESSING",
      })),
    ],
    "other-spelling": [
      "1 running job in 2 is spelled as in the other variant",
      ofRunning(
        (body) => ({ ...body, status: body.status === "running" ? "RUNNING" : "running" }),
        2,
      ),
    ],
    "mixed-case": [
      "A running job is shown as Running",
      ofRunning((body) => ({ ...body, status: "Running" })),
    ],
  }),
  ...faultsOf("job.forward-only", {
    "back-once": [
      "A running job is shown as queued once, on 1 read in 2",
      toldAsWaiting(2, true),
      { ...SEEN_LATER, curve: true },
    ],
    "once-in-a-while": [
      "1 read in 6 of a running job shows it as queued",
      toldAsWaiting(6, false),
      SEEN_LATER,
    ],
    "near-skipped-states": [
      "No job is ever shown as starting",
      () =>
        onJob(
          (job) => job.state === "starting",
          (body) => ({ ...body, status: STATE_SPELLINGS.B.queued }),
        ),
    ],
  }),
];

/** 1 read in `oneOf` comes from a copy that has not heard of the start yet. */
function toldAsWaiting(oneOf: number, isOnce: boolean): Fault["create"] {
  return sometimes(oneOf, (isStale) => {
    const told = new WeakSet<Job>();
    return onJob(
      (job) => job.state === "running" && !(isOnce && told.has(job)) && isStale(),
      (body, job) => {
        told.add(job);
        const spelling = body.status === "running" ? "A" : "B";
        return { ...body, status: STATE_SPELLINGS[spelling].starting ?? STATE_SPELLINGS.A.queued };
      },
    );
  });
}

const FINAL_FAULTS: readonly Fault[] = [
  ...faultsOf("job.terminal-final", {
    "cost-grows": [
      "A completed job costs one cent more 2 s after it told its cost",
      costToldBefore(2_000, dearer),
    ],
    "result-changes": [
      "A completed job's result changes after 0.5 s",
      jobs(both(completed, endedBefore(500)), withOtherResult),
      { curve: true },
    ],
    "result-differs": [
      "1 read in 2 of a completed job shows another result",
      sometimes(2, (isOther) => onJob((job) => completed(job) && isOther(), withOtherResult)),
      { companions: ["cancel.not-terminal"] },
    ],
    "result-changes-later": [
      "A completed job's result changes after 2 s",
      jobs(both(completed, endedBefore(2_000)), withOtherResult),
    ],
    "state-changes": [
      "1 completed job in 2 has failed after 0.7 s",
      jobs(
        both(completed, endedBefore(700)),
        (body) => ({
          ...shownAs("failed")(body),
          error: { code: "LATE", message: "failed after it had completed" },
        }),
        2,
      ),
      { companions: ["webhook.truthful", "cancel.not-terminal", "load.throughput"] },
    ],
    "runs-again-for-3-s": [
      "1 job in 2 is shown as running for 3 s, from 12 s after its end on",
      runningAgain(2),
      { ...UNDER_LOAD, companions: ["cancel.queued", "job.error-only-on-failure"] },
    ],
    "1-in-10-runs-again-for-3-s": [
      "1 job in 10 is shown as running for 3 s, from 12 s after its end on",
      runningAgain(10),
      { ...UNDER_LOAD, curve: true },
    ],
    "near-archived-after-12-s": [
      "1 job in 4 tells from 12 s after its end on that it is archived",
      jobs(endedBefore(12_000), archived, 4),
      UNDER_LOAD,
    ],
    "near-file-urls": [
      "The addresses of files are new in each answer",
      ofCompleted((body, _job, clock) => {
        if (!Array.isArray(body.files)) return body;
        const files = body.files as readonly Fields[];
        return {
          ...body,
          files: files.map((file) => ({ ...file, url: `${file.url}&t=${wholeMs(clock)}` })),
        };
      }),
      B_ONLY,
    ],
  }),
];

/** As where a heartbeat of its machine comes late, and the next look at the job puts it right. */
function runningAgain(oneOf: number): Fault["create"] {
  return jobs(both(endedBefore(12_000), endedWithin(15_000)), asRunning, oneOf);
}

function withOtherResult(body: Fields): Fields {
  if ("result" in body) return { ...body, result: { ...fieldsIn(body, "result"), revised: true } };
  const output = fieldsIn(body, "output");
  return { ...body, output: { ...output, meta: { ...fieldsIn(output, "meta"), revised: true } } };
}

export const JOB_FAULTS: readonly Fault[] = [...SHAPE_FAULTS, ...LIFE_FAULTS, ...FINAL_FAULTS];
