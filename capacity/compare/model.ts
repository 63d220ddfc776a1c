/** The shape of comparison.json, from which its types and its JSON Schema are made. */

import { z } from "zod";
import { targetSchema } from "../../report/model.ts";
import { machineSchema } from "../machine.ts";
import { METRIC_NAMES } from "./metrics.ts";

/** Raised whenever a field changes its name or meaning. */
export const COMPARISON_SCHEMA_VERSION = 1;

const count = z.int().nonnegative();
const share = z.number().describe("As a share: 0.1 is 10 %.");
const metricName = z.enum(METRIC_NAMES);
const figures = z.record(metricName, z.number().nullable());

const block = z.strictObject({
  side: z.enum(["base", "candidate"]),
  figures: figures.describe("Times in ms, throughput in jobs a second, errors as a share."),
  attempts: count.describe("Jobs of the block."),
  failures: count.describe("Jobs that were refused, failed, or did not end in time."),
});

const side = targetSchema.extend({
  label: z.string(),
  worker: z.string().describe("Worker that the jobs were given to."),
});

const tool = z.strictObject({ plumbline: z.string(), node: z.string() });

const load = z.strictObject({
  jobsPerSecond: z.number().positive(),
  blockSeconds: z.number().positive(),
});

const metric = z.strictObject({
  name: metricName,
  title: z.string(),
  unit: z.enum(["ms", "jobs/s", "share"]),
  verdict: z.enum(["better", "worse", "same", "unknown"]),
  reason: z.string().nullable().describe("Why there is no answer; null where there is one."),
  base: z.number().nullable().describe("Geometric mean over the blocks; errors: the mean."),
  candidate: z.number().nullable(),
  change: share.nullable().describe("More is worse, also for the throughput."),
  low: share.nullable().describe("Of the change, at the level of the look that decided."),
  high: share.nullable(),
  margin: share.describe("Changes up to this one do not count."),
  rounds: count.describe("Rounds that the interval is made of."),
  noise: z
    .strictObject({ deviation: share, autocorrelation: z.number() })
    .nullable()
    .describe("Of the differences from round to round."),
});

export const comparisonSchema = z.strictObject({
  schemaVersion: z.literal(COMPARISON_SCHEMA_VERSION),
  kind: z.enum(["interleaved", "calibration", "before-after"]),
  verdict: z.enum(["better", "worse", "same", "unknown"]),
  verdictReason: z.string(),
  exitCode: z.literal([0, 99, 105, 111]),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  tool,
  machine: machineSchema,
  seed: z.number(),
  load,
  alpha: z.number().describe("How often any claim may be wrong, over all metrics and looks."),
  roundsMax: count,
  rounds: z.array(z.array(block)).describe("Blocks by round, in the order in which they ran."),
  discarded: count.describe("Rounds left out: the generator was late, or requests got 429."),
  base: side,
  candidate: side,
  metrics: z.array(metric),
  notes: z.array(z.string()),
});

export type ComparisonReport = z.infer<typeof comparisonSchema>;
export type MetricReport = ComparisonReport["metrics"][number];

/** Blocks of one deployment, kept for a comparison with a later state of it. */
export const savedBlocksSchema = z.strictObject({
  schemaVersion: z.literal(COMPARISON_SCHEMA_VERSION),
  kind: z.literal("blocks"),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  tool,
  machine: machineSchema,
  load,
  side,
  blocks: z.array(block),
  /** Who told when jobs ended; absent in recordings of before it was kept. */
  endsBy: z.enum(["byService", "byPolls"]).optional(),
  discarded: count,
  notes: z.array(z.string()),
});

export type SavedBlocks = z.infer<typeof savedBlocksSchema>;
