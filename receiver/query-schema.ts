/** The interface of the query address: what it is asked and what it answers. Ours throughout. */

import { z } from "zod";

import type { ReceiverAccess } from "../contract/delivery.ts";
import { SIGNATURE_SCHEMES } from "../contract/delivery.ts";

/** Ours: shorter than the 60 s after which k6 gives a request up. */
const WAIT_MS_MAX = 30_000;
/** Ours: a page of usual deliveries then takes about a megabyte. */
const PAGE_DEFAULT = 500;
const PAGE_MAX = 5_000;

const count = z.coerce.number().int().min(0);
const waitMs = z.coerce.number().int().min(0).max(WAIT_MS_MAX).default(0);
/** Cuts the text of bodies in the answer, for readers that don't need all of it. */
const bodyChars = z.coerce.number().int().min(0).optional();

/** `GET /deliveries?token=…&token=…&after=N&waitMs=M`. */
export const deliveriesQuery = z.strictObject({
  token: z.preprocess((value) => (typeof value === "string" ? [value] : value), z.string().array()),
  after: count.default(0),
  waitMs,
  bodyChars,
});

/** `POST /deliveries`: the same for tokens that were read to different points. */
export const deliveriesRequest = z.strictObject({
  tokens: z.record(z.string(), count),
  waitMs,
  bodyChars,
});

/** `GET /arrivals?after=SEQUENCE&waitMs=M&limit=K&prefix=P`. */
export const arrivalsQuery = z.strictObject({
  after: count.default(0),
  waitMs,
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_DEFAULT),
  prefix: z.string().default(""),
  bodyChars,
});
export type ArrivalsQuery = z.infer<typeof arrivalsQuery>;

/** `POST /forget`. */
export const forgetRequest = z.strictObject({ tokens: z.string().array() });

/** `GET /access`: what a plan says of a receiver. */
export const receiverAccess = z.strictObject({
  publicUrl: z.string(),
  queryUrl: z.string(),
  querySecretEnv: z.string(),
  refusingUrl: z.string().nullable(),
  tokenPrefix: z.string(),
  signature: z.strictObject({ header: z.string(), scheme: z.enum(SIGNATURE_SCHEMES) }),
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
