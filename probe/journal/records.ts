/** What the journal keeps of a run, as zod reads it back: a torn record must not get further. */

import { z } from "zod";
import type { Spent } from "../../contract/limits/budget.ts";
import type { Exchange } from "../../contract/requests/exchange.ts";
import { TRANSPORT_ERRORS } from "../../contract/requests/exchange.ts";
import { ROUTES } from "../../contract/requests/routes.ts";
import { END_STATES, STATES } from "../../contract/states.ts";
import type { Observation } from "../../contract/timeline/observation.ts";
import type { Settled } from "../events.ts";
import { OUTCOMES } from "../outcome.ts";

/** All that is needed to resume a run whose POST was, or may have been, sent. */
export const intentSchema = z.strictObject({
  runId: z.string(),
  canary: z.string(),
  workerId: z.string(),
  expected: z.enum(END_STATES),
  deadlineMs: z.number(),
  /** Token of the webhook URL; null without a webhook. */
  token: z.string().nullable(),
  /** Text that stands in the input's marker field; null where there is none. */
  mark: z.string().nullable(),
  intendedAtMs: z.number(),
});
export type Intent = z.infer<typeof intentSchema>;

const ROUTE_NAMES = Object.keys(ROUTES) as (keyof typeof ROUTES)[];

export const exchangeSchema = z.object({
  method: z.string(),
  route: z.enum(ROUTE_NAMES as [keyof typeof ROUTES]),
  path: z.string(),
  key: z.string().nullable(),
  requestBody: z.string().nullable(),
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  error: z.enum(TRANSPORT_ERRORS).nullable(),
  sentAtMs: z.number(),
  receivedAtMs: z.number(),
}) satisfies z.ZodType<Exchange>;

const interval = z.strictObject({ lowMs: z.number(), highMs: z.number() }).nullable();
const stamps = z.strictObject({ created: interval, started: interval, finished: interval });
const state = z.enum(STATES);

export const observationSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.enum(["accepted", "poll"]),
    sentAtMs: z.number(),
    receivedAtMs: z.number(),
    state,
    stamps,
  }),
  z.strictObject({
    kind: z.literal("delivery"),
    arrivedAtMs: z.number(),
    state,
    stamps,
    fired: interval.default(null),
  }),
  z.strictObject({ kind: z.literal("gap"), atMs: z.number() }),
]) satisfies z.ZodType<Observation>;

export const settledSchema = z.object({
  outcome: z.enum(OUTCOMES),
  why: z.string(),
  end: state.nullable(),
  submittedAtMs: z.number(),
  settledAtMs: z.number(),
  stays: z.array(z.object({ state, ms: z.number() })),
  timed: z.boolean(),
  traced: z.boolean().default(false),
  duration: interval.default(null),
  seen: z.array(state).default([]),
  cost: z.object({ credits: z.number(), usd: z.number() }),
}) satisfies z.ZodType<Settled>;

/** A run of an earlier process of which something is still awaited. */
export interface UnfinishedRun {
  intent: Intent;
  /** null: the answer to the POST never came to be known. */
  jobId: string | null;
  submission: Exchange | null;
  observations: readonly Observation[];
  /** Its verdict, where it has one and is only watched for what comes after; else null. */
  settled: Settled | null;
  /** What the service has said that it cost; null while it has not. */
  stated: Spent | null;
  /** Until when it is watched after its verdict. */
  afterUntilMs: number | null;
}

/** A run with its verdict, as the status page and the gauges of an earlier process had it. */
export interface PastRun {
  runId: string;
  canary: string;
  workerId: string;
  jobId: string | null;
  mark: string | null;
  /** Of its submission; null where that is not known. */
  requestBody: string | null;
  settled: Settled;
  /** What the service has said that it cost; null while it has not. */
  stated: Spent | null;
}
