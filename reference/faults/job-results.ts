/**
 * Faults of what a job leaves: result, error, cost, files. A negative cost in variant A makes a
 * sum that the balance can't follow: hence the companion.
 */

import type { Job } from "../jobs/job.ts";
import { type Fields, fieldsIn, without } from "./answers.ts";
import { B_ONLY, type Fault, faults, faultsOf, ofJobs } from "./fault.ts";
import {
  type CostBends,
  completed,
  failed,
  jobs,
  ofCompleted,
  onJob,
  withCost,
  withResult,
} from "./job-views.ts";

/** Rewrites the result of completed jobs, in variant B the whole output. */
const onResult = (bend: (result: unknown) => unknown, oneOf = 1) =>
  ofCompleted((body) => withResult(body, bend), oneOf);

/** 1 completed job in `oneOf` shows what the job of its worker before it has left. */
const resultOfJobBefore = (oneOf: number) =>
  ofJobs(oneOf, (chosen) => {
    const shown = new WeakMap<Job, unknown>();
    const latest = new Map<string, unknown>();
    return onJob(completed, (body, job) =>
      withResult(body, (own) => {
        if (!shown.has(job)) {
          shown.set(job, chosen(job) ? (latest.get(job.worker.id) ?? own) : own);
          latest.set(job.worker.id, own);
        }
        return shown.get(job);
      }),
    );
  });

const RESULT_FAULTS: readonly Fault[] = [
  ...faultsOf("job.own-result", {
    "of-the-job-before": [
      "A completed job shows the result of the job before it",
      resultOfJobBefore(1),
    ],
    "1-in-5": ["1 completed job in 5 shows the result of the job before it", resultOfJobBefore(5)],
    "1-in-50": [
      "1 completed job in 50 shows the result of the job before it",
      resultOfJobBefore(50),
      { seenWith: ["load.no-losses"], companions: ["webhook.result"] },
    ],
  }),
  ...faultsOf("job.result-present", {
    missing: ["A completed job has no result", onResult(() => null)],
    "once-in-a-while": ["1 completed job in 6 has no result", onResult(() => null, 6)],
    "as-text": ["A completed job's result is a text", onResult(JSON.stringify)],
    "unknown-kind": [
      "The output is of the kind table",
      ofCompleted((body) => ({ ...body, output: { ...fieldsIn(body, "output"), kind: "table" } })),
      B_ONLY,
    ],
    "no-data": [
      "The output of kind object has no data",
      jobs(
        (job) => completed(job) && job.performance?.outcome.kind === "object",
        (body) => ({ ...body, output: { ...fieldsIn(body, "output"), data: null } }),
      ),
      B_ONLY,
    ],
  }),
  ...faultsOf("job.error-only-on-failure", {
    "on-success": [
      "A completed job has an error",
      ofCompleted((body) => ({ ...body, error: { code: "NONE", message: "no error" } })),
    ],
    missing: ["A failed job has no error", jobs(failed, (body) => ({ ...body, error: null }))],
    "no-code": [
      "A failed job's error has no code",
      jobs(failed, (body) => ({ ...body, error: without(fieldsIn(body, "error"), "code") })),
    ],
    "as-text": [
      "A failed job's error is a text",
      jobs(failed, (body) => ({ ...body, error: String(fieldsIn(body, "error").message) })),
    ],
  }),
];

/** Ours: the smallest part of a dollar that prices here are told in, and far above rounding. */
const SMALL_USD = 0.0001;

/** Rewrites what a completed job says that it cost. */
const onCost = (...bends: CostBends) => ofCompleted((body) => withCost(body, ...bends));

const COST_FAULTS: readonly Fault[] = [
  ...faultsOf("job.cost", {
    "negative-part": [
      "The infrastructure part is negative; the sum is right",
      onCost(Number, (cost) => ({
        infra_usd: -SMALL_USD,
        run_usd: Number(cost.total_usd) + SMALL_USD,
      })),
      B_ONLY,
    ],
    "sum-off": [
      "The parts make 1 % more than the total",
      onCost(Number, (cost) => ({ run_usd: Number(cost.run_usd) * 1.01 })),
      B_ONLY,
    ],
    negative: [
      "A completed job costs less than nothing",
      onCost((credits) => -credits),
      { variants: ["A"], companions: ["load.accounting"] },
    ],
    "near-rounding": [
      "The total is off by what a sum of fractions is",
      onCost(Number, (cost) => ({ total_usd: Number(cost.total_usd) + 1e-12 })),
      B_ONLY,
    ],
  }),
];

const hasFiles = (job: Job) => job.files.length > 0;

/** Rewrites the last file of a job. */
const onLastFile = (bend: (file: Fields) => Fields) =>
  jobs(hasFiles, (body) => {
    const files = Array.isArray(body.files) ? (body.files as readonly Fields[]) : [];
    const last = files.at(-1);
    return last === undefined ? body : { ...body, files: [...files.slice(0, -1), bend(last)] };
  });

const FILE_FAULTS: readonly Fault[] = [
  ...faults(B_ONLY, {
    "job.files/no-array": [
      "A completed job's files are an object",
      ofCompleted((body) => ({ ...body, files: {} })),
    ],
    "job.files/no-url": ["A file has no address", onLastFile((file) => without(file, "url"))],
    "job.files/size-as-text": [
      "A file's size is a text",
      onLastFile((file) => ({ ...file, size_bytes: `${String(file.size_bytes)} B` })),
    ],
    "job.files/no-content-type": [
      "A file's content type is null",
      onLastFile((file) => ({ ...file, content_type: null })),
    ],
  }),
];

const READABLE_FAULTS: readonly Fault[] = faults(B_ONLY, {
  "job.files-readable/size-off-by-one": [
    "A file has a byte more than its stated size",
    onLastFile((file) => ({ ...file, size_bytes: Number(file.size_bytes) - 1 })),
  ],
  "job.files-readable/address-without-signature": [
    "A file's address is refused with 403",
    onLastFile((file) => ({ ...file, url: String(file.url).replace(/signature=[^&]*/, "") })),
  ],
  "job.files-readable/gone": [
    "A file's address gets 404",
    onLastFile((file) => ({ ...file, url: String(file.url).replace("/storage/", "/stored/") })),
  ],
});

export const JOB_RESULT_FAULTS: readonly Fault[] = [
  ...RESULT_FAULTS,
  ...COST_FAULTS,
  ...FILE_FAULTS,
  ...READABLE_FAULTS,
];
