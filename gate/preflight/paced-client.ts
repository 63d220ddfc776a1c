/** A client for the preflight: slow enough for any plan, and patient with a 429, once. */

import { setTimeout as sleep } from "node:timers/promises";

import type { Exchange } from "../../contract/exchange.ts";
import { retryAfterOf } from "../../contract/retry-after.ts";
import type { PlanKey } from "../../contract/run-plan.ts";
import type { Client } from "../../http/client.ts";
import type { ClientRequest } from "../../http/request.ts";

/** Ours: a key without a declared plan is treated as half of the smallest one. */
const UNDECLARED_PER_SECOND = 5;
/** Ours: the share of a key's sustained rate that the preflight allows itself. */
const SHARE_OF_RATE = 0.8;
/** Ours: what a 429 without a usable Retry-After is taken to ask for. */
const DEFAULT_WAIT_MS = 2_000;
/** Ours: whoever asks for more than this is reported, not waited for. */
const WAIT_MS_MAX = 30_000;

export type PacedSend = (key: PlanKey, request: Omit<ClientRequest, "key">) => Promise<Exchange>;

export function pacedClient(
  client: Client,
  secretOf: (key: PlanKey) => string,
  signal: AbortSignal,
): PacedSend {
  const earliestMs = new Map<string, number>();
  const once: PacedSend = async (key, request) => {
    const waitMs = (earliestMs.get(key.name) ?? 0) - Date.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    const perSecond = (key.sustained ?? UNDECLARED_PER_SECOND) * SHARE_OF_RATE;
    earliestMs.set(key.name, Date.now() + 1_000 / perSecond);
    return client.send({ ...request, key: { name: key.name, value: secretOf(key) }, signal });
  };
  return async (key, request) => {
    const first = await once(key, request);
    if (first.status !== 429) return first;
    const waitMs = askedWaitMs(first);
    if (waitMs > WAIT_MS_MAX) return first;
    await sleep(waitMs, undefined, { signal });
    return once(key, request);
  };
}

function askedWaitMs(exchange: Exchange): number {
  const asked = retryAfterOf(exchange);
  return asked.form === "seconds" || asked.form === "date" ? asked.waitMs : DEFAULT_WAIT_MS;
}
