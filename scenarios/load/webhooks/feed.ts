/** Reads the webhooks of the soak as they arrive: one request for many jobs. */

import type { Delivery, ReceiverAccess } from "../../../contract/jobs/delivery.ts";
import { arrivalsAt, forget } from "../../client/receiver.ts";
import { onWebhook } from "../followed/follow.ts";
import type { Soak } from "../soak.ts";
import { hasFeed } from "../soak.ts";

/** Ours: long enough to be rare, short enough to end with the soak. */
const WAIT_MS = 1_000;
/** Ours: a page of some hundred kilobytes. */
const PAGE_DELIVERIES = 200;
/**
 * Ours: after a page that is not full. Times of arrival are the receiver's own: to read a delivery
 * a moment later changes nothing.
 */
const GATHER_MS = 250;
/** Ours: some hundred kilobytes of what the receiver may keep. */
const FORGOTTEN_AT_ONCE = 200;
const RETRY_MS = 500;
/** Ours: so many take k6 some milliseconds, by which a submission that is due meanwhile is late. */
const TAKEN_AT_ONCE = 20;

/** Until the soak is over, or the receiver has failed too often. */
export async function readFeed(soak: Soak, access: ReceiverAccess): Promise<void> {
  const { world } = soak.context;
  const page = { prefix: soak.tokenPrefix, waitMs: WAIT_MS, limit: PAGE_DELIVERIES };
  const read = new Set<string>();
  for (let after = 0; soak.phase !== "over" && hasFeed(soak); ) {
    const answer = await arrivalsAt(world, access, { ...page, after }).catch(() => null);
    if (answer === null) {
      soak.feed.failures += 1;
      await world.delay(RETRY_MS);
      continue;
    }
    soak.feed.failures = 0;
    soak.feed.evicted = answer.evicted;
    after = answer.next;
    await takeInParts(soak, answer.deliveries);
    for (const { token } of answer.deliveries) {
      // One that awaits another attempt is answered by its number.
      if (!soak.retries.open.has(token)) read.add(token);
    }
    if (read.size >= FORGOTTEN_AT_ONCE) {
      // A receiver that is gone shows when it is read from again.
      await forget(world, access, [...read]).catch(() => {});
      read.clear();
    }
    const isFull = answer.deliveries.length >= PAGE_DELIVERIES;
    if (!isFull) await world.delay(GATHER_MS);
  }
}

async function takeInParts(soak: Soak, deliveries: readonly Delivery[]): Promise<void> {
  for (let from = 0; from < deliveries.length; from += TAKEN_AT_ONCE) {
    if (from > 0) await soak.context.world.delay(0);
    for (const delivery of deliveries.slice(from, from + TAKEN_AT_ONCE)) onWebhook(soak, delivery);
  }
}
