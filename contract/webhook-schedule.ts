/** When a webhook is sent again, and how long its answer may take. Spec §6, §8. */

/** Waits before each redelivery, in order. Spec §6. */
export const WEBHOOK_RETRY_WAITS_MS = [5_000, 30_000, 300_000] as const;

/** A receiver has this long to answer 200. Spec §6. */
export const WEBHOOK_ANSWER_LIMIT_MS = 10_000;

/** Header with the signature, in the spec's neutral spelling. Spec §5.5. */
export const WEBHOOK_SIGNATURE_HEADER = "X-Service-Signature";

/** The one event name that the spec shows. Spec §6. */
export const WEBHOOK_COMPLETED_EVENT = "job.completed";
