/** The shapes of what the query interface answers, field by field. */

import { z } from "zod";
import type { ArrivalsAnswer, DeliveriesAnswer } from "../../contract/jobs/delivery.ts";
import { SIGNATURE_STATES } from "../../contract/jobs/delivery.ts";

const answerStep = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    status: z.int(),
    delayMs: z.number(),
    bodyMs: z.number().optional(),
  }),
  z.strictObject({ kind: z.literal("reset") }),
  z.strictObject({ kind: z.literal("silent") }),
]);

const delivery = z.strictObject({
  token: z.string(),
  attempt: z.int().min(1),
  arrivedAtMs: z.number(),
  method: z.string(),
  contentType: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  bodyBytes: z.int(),
  truncated: z.boolean(),
  signature: z.enum(SIGNATURE_STATES),
  unnamedSignature: z.string().optional(),
  signedAtMs: z.number().nullable(),
  answer: answerStep,
  answeredAtMs: z.number().nullable(),
  hungUpAtMs: z.number().nullable(),
  requestsBefore: z.int().min(0),
  openedForMs: z.number().optional(),
});

export const deliveriesAnswer = z.strictObject({
  deliveries: delivery.array(),
  now: z.number(),
}) satisfies z.ZodType<DeliveriesAnswer>;

export const arrivalsAnswer = z.strictObject({
  deliveries: delivery.array(),
  next: z.int(),
  evicted: z.int(),
  now: z.number(),
}) satisfies z.ZodType<ArrivalsAnswer>;
