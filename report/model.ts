/** The shape of report.json, from which its types and its JSON Schema are made. */

import { z } from "zod";

import type { Json } from "../contract/verdict.ts";
import { seriesSchema } from "./series-schema.ts";

/** Raised whenever a field changes its name or meaning. */
export const REPORT_SCHEMA_VERSION = 1;

const json: z.ZodType<Json> = z.json();
const verdict = z.enum(["kept", "broken", "inconclusive", "unobserved"]);
const count = z.int().nonnegative();
const timestamp = z.iso.datetime();
export const amountsSchema = z
  .strictObject({
    jobs: z.number().nullable(),
    credits: z.number().nullable(),
    usd: z.number().nullable(),
  })
  .meta({ id: "amounts" });

const observation = z.strictObject({
  request: z.string(),
  requestBody: z.string().optional(),
  answer: z.string(),
  body: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  sentAtMs: z.number(),
  tookMs: z.number(),
  key: z.string().nullable().describe("Name of the key in the target file, never its value."),
  traceId: z.string().optional().describe("Of the service's trace, with --trace."),
  traceUrl: z.string().optional().describe("Where the service shows that trace."),
});

const strength = z.strictObject({
  looks: z
    .array(z.strictObject({ of: z.string(), count, faultShareBelow: z.number().min(0).max(1) }))
    .describe("What was looked at, and the share of faults that is ruled out with 95 %."),
  measured: z.array(
    z.strictObject({
      what: z.string(),
      unit: z.enum(["ms", "per second", "requests", "share"]),
      low: z.number().nullable(),
      high: z.number().nullable(),
      leastTolerated: z.number().nullable(),
      mostTolerated: z.number().nullable(),
    }),
  ),
  notTried: z.array(z.string()),
});

const breach = z.strictObject({
  promise: z.string(),
  key: z.string().optional().describe("Name of the key in the target file, never its value."),
});

const judged = z.strictObject({
  id: z.string(),
  section: z.string().describe("Section of the interface specification."),
  title: z.string(),
  verdict,
  summary: z.string(),
  evidence: z.record(z.string(), json),
  observations: z.array(observation),
  reason: z.string().nullable().describe("Why there is no answer; null for kept and broken."),
  explainedBy: z
    .array(breach)
    .optional()
    .describe("Of an inconclusive one: breaches that would explain all of the doubt."),
  keys: z
    .array(z.string())
    .optional()
    .describe("Of a broken one: names of the keys on which it is, where keys are judged apart."),
  strength: strength.nullable().default(null).describe("What a kept promise rules out."),
});

/** As contract/target.ts has it. */
export const targetSchema = z.strictObject({
  baseUrl: z.string(),
  timeScale: z.number(),
  embedded: z.boolean(),
});

export const reportSchema = z.strictObject({
  schemaVersion: z.literal(REPORT_SCHEMA_VERSION),
  verdict: z.enum(["pass", "fail", "none"]),
  verdictReason: z.string(),
  exitCode: z.literal([0, 99, 104, 105, 111]),
  partial: z.boolean().describe("True when the run was interrupted before its end."),
  strict: z.boolean(),
  only: z.array(z.string()).nullable().describe("Promises asked for; null when all were."),
  profile: z.enum(["quick", "standard", "soak"]),
  seed: z.number(),
  startedAt: timestamp,
  finishedAt: timestamp,
  labels: z
    .record(z.string(), z.string())
    .default({})
    .describe("What the caller named the run by, with --label."),
  tool: z.strictObject({ plumbline: z.string(), k6: z.string(), node: z.string() }),
  target: targetSchema.extend({ variant: z.enum(["A", "B"]).nullable() }),
  counts: z.strictObject({
    kept: count,
    broken: count,
    inconclusive: count,
    unobserved: count,
  }),
  promises: z.array(judged),
  measurements: z.record(z.string(), z.array(json)),
  series: seriesSchema.describe("What was seen over time, bounded in size; plots show it."),
  notes: z.array(z.string()),
  budget: z.strictObject({
    ceiling: amountsSchema.nullable(),
    planned: amountsSchema,
    spent: amountsSchema,
  }),
});

export type Report = z.infer<typeof reportSchema>;
export type JudgedPromise = Report["promises"][number];
export type ReportedStrength = NonNullable<JudgedPromise["strength"]>;
export type Observation = z.infer<typeof observation>;
