/** The shape of capacity.json, from which its JSON Schema is made. */

import { z } from "zod";
import type { CapacityResult } from "../contract/capacity.ts";
import {
  BOTTLENECKS,
  CAPACITY_BOUNDS,
  CAPACITY_OUTCOMES,
  CAPACITY_SCHEMA_VERSION,
} from "../contract/capacity.ts";
import { CAPACITY_SUBJECTS } from "../contract/capacity-step.ts";
import { targetSchema } from "./model.ts";

const count = z.int().nonnegative();
const amount = z.number().nonnegative();

const times = z.strictObject({
  count,
  p50: amount,
  p90: amount,
  p95: amount,
  p99: amount,
  max: amount,
});

const failure = z.strictObject({ bottleneck: z.enum(BOTTLENECKS), text: z.string() });

const step = z.strictObject({
  phase: z.enum(["search", "bisect", "confirm", "unpaced"]),
  startedAtMs: z.number(),
  seconds: amount,
  measuredSeconds: amount,
  ratePerSecond: amount.nullable(),
  connections: count.nullable(),
  sent: count,
  refused429: count,
  errors: count,
  errorShare: amount,
  achievedPerSecond: amount.nullable().describe("Jobs completed or requests answered a second."),
  latencyMs: times.nullable(),
  submitMs: times.nullable(),
  queueWaitMs: times.nullable(),
  runMs: times.nullable(),
  backlog: z
    .strictObject({
      start: amount,
      end: amount,
      slopePerSecond: z.number(),
      slopeError: amount,
    })
    .nullable(),
  inFlight: amount.nullable(),
  generator: z.strictObject({
    dropped: count,
    latenessMs: amount,
    hostLagMs: amount,
    doubt: z.string().nullable(),
  }),
  outcome: z.enum(["pass", "fail", "withdrawn"]),
  failures: z.array(failure),
  stopped: z.string().nullable(),
  points: z.array(
    z.strictObject({
      atSeconds: amount,
      offeredPerSecond: amount,
      completedPerSecond: amount,
      backlog: amount.nullable(),
    }),
  ),
});

const scalability = z.strictObject({
  gamma: amount,
  sigma: amount,
  kappa: amount,
  peak: z.strictObject({ inFlight: amount, perSecond: amount }).nullable(),
  worstResidual: amount,
  points: z.array(z.strictObject({ inFlight: amount, perSecond: amount })),
});

const budget = z.strictObject({
  jobs: z.number().nullable(),
  credits: z.number().nullable(),
  usd: z.number().nullable(),
});

export const capacitySchema: z.ZodType<CapacityResult> = z.strictObject({
  schemaVersion: z.literal(CAPACITY_SCHEMA_VERSION),
  of: z.enum(CAPACITY_SUBJECTS),
  mode: z.enum(["paced", "unpaced"]),
  outcome: z.enum(CAPACITY_OUTCOMES),
  summary: z.string(),
  exitCode: z.literal([0, 99, 105, 111]),
  interrupted: z.boolean(),
  seed: z.number(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  tool: z.strictObject({
    plumbline: z.string(),
    k6: z.string().nullable(),
    autocannon: z.string().nullable(),
    node: z.string(),
  }),
  target: targetSchema.extend({ variant: z.enum(["A", "B"]).nullable() }),
  subject: z.strictObject({
    worker: z.string().nullable(),
    endpoint: z.string().nullable(),
    keys: z.array(z.string()).describe("Names of keys in the target file, never their values."),
  }),
  objectives: z.array(z.string()),
  limits: z.strictObject({
    maxRatePerSecond: amount,
    planRatePerSecond: amount.nullable(),
    beyondPlan: z.boolean(),
    timeSeconds: amount,
    budget: budget.nullable(),
  }),
  estimate: z
    .strictObject({
      perSecond: amount,
      low: amount,
      high: amount,
      confidence: amount,
      method: z.string(),
    })
    .nullable(),
  bottleneck: failure.nullable(),
  bound: z.enum(CAPACITY_BOUNDS).nullable(),
  scalability: scalability.nullable(),
  scalabilityMissing: z.string().nullable(),
  steps: z.array(step),
  spent: z.strictObject({ jobs: amount, credits: amount, usd: amount }),
  notes: z.array(z.string()),
});

/** JSON Schema of capacity.json as a text, ready to be written to schemas/capacity.schema.json. */
export function capacityJsonSchema(): string {
  const schema = z.toJSONSchema(capacitySchema, { target: "draft-2020-12" });
  return `${JSON.stringify({ title: "Plumbline capacity", ...schema }, null, 2)}\n`;
}
