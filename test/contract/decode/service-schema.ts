/** The service's shapes in zod, written from the specification and not from the decoders. */

import { z } from "zod";

const UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]00(:?00)?)$/;

/** Digits that name a real instant: written back by the engine, they stay as they were. */
function isRealDate(text: string): boolean {
  const instant = text.slice(0, 19);
  const ms = Date.parse(`${instant}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 19) === instant;
}

const text = z.string().min(1);
const amount = z.number().min(0);
/** What sums of binary fractions leave of nothing may be below it. */
const cost = z.number().gt(-1e-8);
const whole = z.number().min(0).refine(Number.isInteger);
/** That milliseconds are there is seen of many times together: a writer may drop zeros. */
const utc = z.string().regex(UTC).refine(isRealDate);

/** A value that a job does not have yet. */
const nothing = z.union([z.null(), z.literal(""), z.strictObject({}), z.tuple([])]).optional();

function due<T extends z.ZodType>(isDue: boolean, schema: T) {
  return isDue ? schema : z.union([nothing, schema]);
}

const errorObject = z.looseObject({ code: z.union([z.string(), z.number()]), message: z.string() });

const file = z.looseObject({
  id: text.regex(/[^\n\r\u2028\u2029]/),
  name: text.regex(/[^\n\r\u2028\u2029]/),
  content_type: z.string().regex(/^[^\s/]+\/[^\s/]/),
  size_bytes: whole,
  url: z.string().regex(/^https?:\/\/[^\s/]/),
});

const unusedItems = z.tuple([]).optional();
const unusedData = z.union([z.null(), z.strictObject({}), z.tuple([])]).optional();
const meta = z.looseObject({}).nullish();

const output = z.discriminatedUnion("kind", [
  z.looseObject({
    kind: z.literal("object"),
    data: z.looseObject({}),
    items: unusedItems,
    meta,
  }),
  z.looseObject({ kind: z.literal("list"), data: unusedData, items: z.array(z.unknown()), meta }),
  z.looseObject({
    kind: z.literal("empty"),
    data: unusedData,
    items: unusedItems,
    meta,
  }),
]);

function jobA(status: string) {
  const completed = status === "completed";
  const ran = completed || status === "timeout";
  return z.looseObject({
    job_uuid: text,
    status: z.literal(status),
    worker: text,
    cost_credits: due(completed, cost),
    duration_ms: due(ran, whole),
    created_at: utc,
    completed_at: due(completed, utc),
    result: completed ? z.looseObject({}) : z.unknown(),
    error: status === "failed" ? errorObject : nothing,
  });
}

function jobB(status: string) {
  const completed = status === "SUCCEEDED";
  const ran = completed || status === "TIMED_OUT";
  const times = {
    submitted_at: utc,
    started_at: due(ran, utc),
    finished_at: due(ran || status === "FAILED", utc),
    duration_ms: due(ran, whole),
  };
  const startedAndFailed = { ...times, started_at: utc, duration_ms: whole };
  const parts = { run_usd: due(completed, cost), infra_usd: due(completed, cost) };
  const modeless = { ...parts, billing_mode: due(completed, text) };
  const hasEnded = ["SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELED"].includes(status);
  // What is charged is charged by a mode.
  const costs = z.union([
    z.looseObject({ ...parts, total_usd: cost, billing_mode: text }),
    z.looseObject({ ...modeless, total_usd: due(completed, hasEnded ? cost.lt(1e-8) : cost) }),
  ]);
  return z.looseObject({
    job_id: text,
    worker_id: text,
    status: z.literal(status),
    timestamps:
      status === "FAILED"
        ? z.union([
            z.looseObject({ ...times, started_at: nothing }),
            z.looseObject(startedAndFailed),
          ])
        : z.looseObject(times),
    output: completed ? output : z.unknown(),
    files: due(completed, z.array(file)),
    cost: due(completed, costs),
    error: status === "FAILED" ? errorObject : nothing,
  });
}

export const A_STATUSES = ["queued", "running", "completed", "failed", "timeout", "cancelled"];
export const B_STATUSES = [
  "ACCEPTED",
  "QUEUED",
  "STARTING",
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "TIMED_OUT",
  "CANCELED",
];

export const jobSchema = z.union([...A_STATUSES.map(jobA), ...B_STATUSES.map(jobB)]);

export const acceptedSchema = z.union([
  z.looseObject({
    job_uuid: text,
    status: z.literal("queued"),
    worker: text,
    cost_estimate_credits: amount.nullish(),
    created_at: utc,
  }),
  z.looseObject({
    job_uuid: text,
    worker_id: text,
    status: z.literal("QUEUED"),
    submitted_at: utc,
  }),
]);

const workerEntry = z.looseObject({
  worker_id: text,
  name: text,
  short_description: z.string().nullable(),
  category: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
});

export const workerListSchema = z.looseObject({
  workers: z.array(
    z.union([
      workerEntry.extend({ billing_mode: z.literal("per_run"), price_per_run_usd: amount }),
      workerEntry.extend({
        billing_mode: text.refine((mode) => mode !== "per_run"),
        price_per_run_usd: amount.nullish(),
      }),
    ]),
  ),
});

const detail = z.looseObject({
  worker_id: text,
  name: text,
  status: text,
  billing_mode: text,
  input_schema: z.looseObject({}),
  output_schema: z.looseObject({}).nullish(),
  readme_content: z.string().nullish(),
});

const limit = z.number().positive().refine(Number.isInteger);

export const workerSchema = z.union([
  detail.extend({ timeout_seconds: limit }),
  detail.extend({ timeout_seconds: z.null().optional(), max_duration: limit }),
]);

export const authErrorSchema = z.looseObject({
  error: text,
  message: z.string(),
  status: z.literal(401),
});

/** What a webhook posts of a completed job. Spec §6. */
export const deliverySchema = z.looseObject({
  event: text,
  job_uuid: text,
  status: text,
  result: z.looseObject({}),
  fired_at: utc,
});
