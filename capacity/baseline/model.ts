/** The shape of a baseline file, from which its types and its JSON Schema are made. */

import { z } from "zod";

/** Raised whenever a field changes its name or meaning. */
const BASELINE_SCHEMA_VERSION = 1;

const figure = z.strictObject({
  name: z.string(),
  unit: z.enum(["ms", "jobs/s", "share"]),
  worse: z.enum(["higher", "lower"]).describe("Which way it gets worse."),
  value: z.number(),
  samples: z.int().nonnegative().describe("Jobs or requests that the figure is made of."),
});

const run = z.strictObject({
  startedAt: z.iso.datetime(),
  seed: z.number(),
  verdict: z.enum(["pass", "fail", "none"]),
  circumstances: z
    .record(z.string(), z.string())
    .describe("Only runs that agree in all of them are compared."),
  figures: z.array(figure),
});

export const baselineSchema = z.strictObject({
  schemaVersion: z.literal(BASELINE_SCHEMA_VERSION),
  accepted: z.array(run).describe("Runs that later ones are compared with, oldest first."),
  recent: z.array(run).describe("Runs since, oldest first."),
});

export type Baseline = z.infer<typeof baselineSchema>;
export type BaselineRun = Baseline["accepted"][number];
export type Figure = BaselineRun["figures"][number];

export const EMPTY_BASELINE: Baseline = {
  schemaVersion: BASELINE_SCHEMA_VERSION,
  accepted: [],
  recent: [],
};
