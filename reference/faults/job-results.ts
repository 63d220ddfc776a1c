/**
 * Faults of what a job leaves: result, error, cost, files. A negative cost in variant A makes a
 * sum that the balance can't follow: hence the companion.
 */

import type { Job } from "../jobs/job.ts";
import { type Fields, fieldsIn, without } from "./answers.ts";
import { type Fault, fault, nearMiss } from "./fault.ts";
import { completed, failed, jobs, withCost } from "./job-views.ts";

const RESULT_FAULTS: readonly Fault[] = [
  fault(
    "job.result-present",
    "missing",
    "A completed job has no result",
    jobs(completed, (body) =>
      "result" in body ? { ...body, result: null } : { ...body, output: null },
    ),
  ),
  fault(
    "job.result-present",
    "once-in-a-while",
    "1 completed job in 6 has no result",
    jobs(
      completed,
      (body) => ("result" in body ? { ...body, result: null } : { ...body, output: null }),
      6,
    ),
  ),
  fault(
    "job.result-present",
    "as-text",
    "A completed job's result is a text",
    jobs(completed, (body) => {
      const name = "result" in body ? "result" : "output";
      return { ...body, [name]: JSON.stringify(body[name]) };
    }),
  ),
  fault(
    "job.result-present",
    "unknown-kind",
    "The output is of the kind table",
    jobs(completed, (body) => ({
      ...body,
      output: { ...fieldsIn(body, "output"), kind: "table" },
    })),
    { variants: ["B"] },
  ),
  fault(
    "job.result-present",
    "no-data",
    "The output of kind object has no data",
    jobs(
      (job) => completed(job) && job.performance?.outcome.kind === "object",
      (body) => ({ ...body, output: { ...fieldsIn(body, "output"), data: null } }),
    ),
    { variants: ["B"] },
  ),
  fault(
    "job.error-only-on-failure",
    "on-success",
    "A completed job has an error",
    jobs(completed, (body) => ({ ...body, error: { code: "NONE", message: "no error" } })),
  ),
  fault(
    "job.error-only-on-failure",
    "missing",
    "A failed job has no error",
    jobs(failed, (body) => ({ ...body, error: null })),
  ),
  fault(
    "job.error-only-on-failure",
    "no-code",
    "A failed job's error has no code",
    jobs(failed, (body) => ({ ...body, error: without(fieldsIn(body, "error"), "code") })),
  ),
  fault(
    "job.error-only-on-failure",
    "as-text",
    "A failed job's error is a text",
    jobs(failed, (body) => ({ ...body, error: String(fieldsIn(body, "error").message) })),
  ),
];

/** Ours: the smallest part of a dollar that prices here are told in, and far above rounding. */
const SMALL_USD = 0.0001;

const COST_FAULTS: readonly Fault[] = [
  fault(
    "job.cost",
    "negative-part",
    "The infrastructure part is negative; the sum is right",
    jobs(completed, (body) =>
      withCost(body, Number, (cost) => ({
        ...cost,
        infra_usd: -SMALL_USD,
        run_usd: Number(cost.total_usd) + SMALL_USD,
      })),
    ),
    { variants: ["B"] },
  ),
  fault(
    "job.cost",
    "sum-off",
    "The parts make 1 % more than the total",
    jobs(completed, (body) =>
      withCost(body, Number, (cost) => ({ ...cost, run_usd: Number(cost.run_usd) * 1.01 })),
    ),
    { variants: ["B"] },
  ),
  fault(
    "job.cost",
    "negative",
    "A completed job costs less than nothing",
    jobs(completed, (body) =>
      withCost(
        body,
        (credits) => -credits,
        (cost) => cost,
      ),
    ),
    { variants: ["A"], companions: ["load.accounting"] },
  ),
  nearMiss(
    "job.cost",
    "rounding",
    "The total is off by what a sum of fractions is",
    jobs(completed, (body) =>
      withCost(
        body,
        (credits) => credits,
        (cost) => ({ ...cost, total_usd: Number(cost.total_usd) + 1e-12 }),
      ),
    ),
    { variants: ["B"] },
  ),
];

const withFiles = (job: Job) => job.files.length > 0;

/** Rewrites the last file of a job. */
const onLastFile = (bend: (file: Fields) => Fields) =>
  jobs(withFiles, (body) => {
    const files = Array.isArray(body.files) ? (body.files as readonly Fields[]) : [];
    const last = files.at(-1);
    return last === undefined ? body : { ...body, files: [...files.slice(0, -1), bend(last)] };
  });

const B_ONLY = { variants: ["B"] } as const;

const FILE_FAULTS: readonly Fault[] = [
  fault(
    "job.files",
    "no-array",
    "A completed job's files are an object",
    jobs(completed, (body) => ({ ...body, files: {} })),
    B_ONLY,
  ),
  fault(
    "job.files",
    "no-url",
    "A file has no address",
    onLastFile((file) => without(file, "url")),
    B_ONLY,
  ),
  fault(
    "job.files",
    "size-as-text",
    "A file's size is a text",
    onLastFile((file) => ({ ...file, size_bytes: `${String(file.size_bytes)} B` })),
    B_ONLY,
  ),
  fault(
    "job.files",
    "no-content-type",
    "A file's content type is null",
    onLastFile((file) => ({ ...file, content_type: null })),
    B_ONLY,
  ),
];

export const JOB_RESULT_FAULTS: readonly Fault[] = [
  ...RESULT_FAULTS,
  ...COST_FAULTS,
  ...FILE_FAULTS,
];
