/** The part of report.json that plots are made of, in the shapes of contract/run/series.ts. */

import { z } from "zod";

const numbers = z.array(z.number());
const gaps = z.array(z.number().nullable());
const limit = z.strictObject({ sustained: z.number(), burst: z.number() });

const requestSteps = z
  .strictObject({
    stepMs: z.number(),
    sent: numbers.describe("By when they were sent."),
    admitted: numbers.describe("By when they were answered."),
    refused: numbers,
    failed: numbers,
  })
  .meta({ id: "requestSteps" });

const rate = z.strictObject({
  key: z.string(),
  plan: z.string(),
  declared: limit,
  tolerated: limit.describe("Beyond these the limit is broken."),
  drain: requestSteps
    .nullable()
    .describe("The burst of a rested key and the overload phase after it."),
  below: requestSteps.nullable().describe("Evenly below the plan."),
  volleys: z.array(
    z.strictObject({
      sent: z.number(),
      admitted: z.number(),
      refused: z.number(),
      failed: z.number(),
    }),
  ),
  returns: z
    .array(z.strictObject({ toldMs: z.number(), waitedMs: z.number(), admitted: z.boolean() }))
    .describe("What a Retry-After told, the wait, and whether the key was admitted then."),
});

const webhook = z.strictObject({
  timeScale: z.number(),
  rungs: z.array(
    z.strictObject({ waitMs: z.number(), earliestMs: z.number(), latestMs: z.number() }),
  ),
  answerLimitMs: z.number(),
  silenceMs: z.number(),
  jobs: z.array(
    z.strictObject({
      kind: z.string(),
      jobId: z.string(),
      attempts: z.array(
        z.strictObject({
          atMs: z.number(),
          answer: z.string(),
          answeredAtMs: z.number().nullable(),
        }),
      ),
      watchedUntilMs: z.number(),
    }),
  ),
  omitted: z.number(),
});

const transitions = z.strictObject({
  jobId: z.string(),
  part: z.string(),
  transitions: z
    .array(
      z.strictObject({
        state: z.string(),
        earliestMs: z.number(),
        latestMs: z.number(),
        statedMs: z.number().nullable(),
      }),
    )
    .describe("Each lies between the two times, in ms after the submission."),
  watchedUntilMs: z.number(),
  isOffender: z.boolean(),
});

const timeout = z.strictObject({
  worker: z.string(),
  limitMs: z.number(),
  earlyMs: z.number(),
  lateMs: z.number(),
  overshootsMs: numbers.describe("Sorted; a sample with its extremes where there are many."),
  jobs: z.number(),
});

const load = z.strictObject({
  stepSeconds: z.number(),
  offerSeconds: z.number(),
  jobsPerSecond: z.number(),
  objectives: z.strictObject({
    throughputShare: z.number().nullable(),
    submitP99Ms: z.number().nullable(),
    queueWaitP99Ms: z.number().nullable(),
  }),
  offered: numbers.describe("Jobs a second, by step."),
  completed: numbers,
  errors: numbers,
  backlog: gaps.describe("Jobs without an end."),
  submitP50Ms: gaps,
  submitP99Ms: gaps,
  queueWaitP50Ms: gaps,
  queueWaitP99Ms: gaps,
  sendLagP99Ms: gaps.describe("How late the generator sent what was due."),
  loopDelayMaxMs: gaps,
  hostLagMaxMs: gaps,
});

/** A report of an earlier version has none, and is still read. */
export const seriesSchema = z
  .strictObject({
    rate: z.array(rate),
    webhook: z.array(webhook),
    transitions: z.array(transitions),
    timeout: z.array(timeout),
    load: z.array(load),
  })
  .default({ rate: [], webhook: [], transitions: [], timeout: [], load: [] });
