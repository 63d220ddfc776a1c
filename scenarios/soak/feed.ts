/** Reads the webhooks of the soak as they arrive: one request for many jobs. */

import http from "k6/http";
import type { ArrivalsAnswer, ReceiverAccess } from "../../contract/delivery.ts";
import { delay } from "../lib/clock.ts";
import { queryHeaders } from "../lib/receiver.ts";
import { onWebhook } from "./follow.ts";
import type { Soak } from "./soak.ts";
import { hasFeed } from "./soak.ts";

/** Ours: long enough to be rare, short enough to end with the soak. */
const WAIT_MS = 1_000;
/** Ours: a page of some hundred kilobytes. */
const PAGE_DELIVERIES = 200;
/** Ours: a machine that is busy answers in this time, too. */
const REQUEST_TIMEOUT_MS = 15_000;
const RETRY_MS = 500;

/** Until the soak is over, or the receiver has failed too often. */
export async function readFeed(soak: Soak, access: ReceiverAccess): Promise<void> {
  for (let after = 0; soak.phase !== "over" && hasFeed(soak); ) {
    const answer = await readArrivals(access, soak.tokenPrefix, after);
    if (answer === null) {
      soak.feed.failures += 1;
      await delay(RETRY_MS);
      continue;
    }
    soak.feed.failures = 0;
    soak.feed.evicted = answer.evicted;
    after = answer.next;
    for (const delivery of answer.deliveries) onWebhook(soak, delivery);
    await forget(access, [...new Set(answer.deliveries.map(({ token }) => token))]);
  }
}

async function readArrivals(
  access: ReceiverAccess,
  prefix: string,
  after: number,
): Promise<ArrivalsAnswer | null> {
  const query = `after=${after}&waitMs=${WAIT_MS}&limit=${PAGE_DELIVERIES}&prefix=${prefix}`;
  const text = await ask(access, "GET", `/arrivals?${query}`, null);
  return text === null ? null : (JSON.parse(text) as ArrivalsAnswer);
}

/** What was read makes room, so that nothing that was not read is pushed out. */
async function forget(access: ReceiverAccess, tokens: readonly string[]): Promise<void> {
  if (tokens.length === 0) return;
  await ask(access, "POST", "/forget", JSON.stringify({ tokens }));
}

async function ask(
  access: ReceiverAccess,
  method: string,
  path: string,
  body: string | null,
): Promise<string | null> {
  const response = await http.asyncRequest(method, access.queryUrl + path, body, {
    headers: { ...queryHeaders(access), "Content-Type": "application/json" },
    responseType: "text",
    timeout: REQUEST_TIMEOUT_MS,
    tags: { name: "receiver" },
  });
  return response.status === 200 && typeof response.body === "string" ? response.body : null;
}
