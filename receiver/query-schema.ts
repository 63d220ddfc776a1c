/** What the query address answers, for who reads it. Ours throughout. */

import { z } from "zod";

import type { ReceiverAccess } from "../contract/jobs/delivery.ts";
import { SIGNATURE_SCHEMES } from "../contract/jobs/delivery.ts";

/** `GET /access`: what a plan says of a receiver. */
export const receiverAccess = z.strictObject({
  publicUrl: z.string(),
  queryUrl: z.string(),
  querySecretEnv: z.string(),
  refusingUrl: z.string().nullable(),
  tokenPrefix: z.string(),
  signature: z.strictObject({
    header: z.string(),
    scheme: z.enum(SIGNATURE_SCHEMES),
    secretEnvs: z.string().array().optional(),
  }),
}) satisfies z.ZodType<ReceiverAccess>;

export const receiverStats = z.strictObject({
  /** Kept now, with the memory that they take. */
  deliveries: z.int(),
  tokens: z.int(),
  bytes: z.int(),
  inflightBytes: z.int(),
  connections: z.int(),
  /** Evicted by the bounds since the start. */
  evictedDeliveries: z.int(),
  evictedTokens: z.int(),
  evictedConnections: z.int(),
  /** Turned away since the start, unread and not kept. */
  refused: z.strictObject({
    unknownPath: z.int(),
    wrongMethod: z.int(),
    foreignToken: z.int(),
    pipelined: z.int(),
    tooLong: z.int(),
  }),
  /** How late the thread's event loop ran; stamps may be late by as much. */
  loopDelayMsP99: z.number(),
  loopDelayMsMax: z.number(),
  /** How late this machine let this thread or the main one run, at worst of the last 2 s. */
  hostLagMs: z.number(),
  /** When it was late by 5 ms or more, within the last 2 s. */
  hostLags: z.strictObject({ fromMs: z.number(), toMs: z.number(), lagMs: z.number() }).array(),
  /** Threads of the machine that want a core, for each core; mean of the last 2 s. */
  runnablePerCore: z.number(),
  rssBytes: z.int(),
  now: z.number(),
});
export type ReceiverStats = z.infer<typeof receiverStats>;
