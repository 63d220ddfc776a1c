/** Asks a running `plumbline sink` for what a plan has to say of it. */

import type { ReceiverAccess } from "../contract/delivery.ts";
import { receiverAccess } from "../receiver/query-schema.ts";
import { isLoopback } from "../receiver/reachability.ts";
import { UsageError } from "./usage-error.ts";

export interface SinkAccess {
  access: ReceiverAccess | null;
  /** Why the service can't use it, in a sentence; null where it can. */
  missing: string | null;
}

/** Ours: a sink on this machine or next to it answers at once. */
const ASK_TIMEOUT_MS = 5_000;

/** Throws UsageError where no sink answers. `baseUrl` is the service's own address. */
export async function sinkAccess(queryUrl: string, baseUrl: string): Promise<SinkAccess> {
  const access = await ask(queryUrl.replace(/\/+$/, ""));
  const isLocal = isLoopback(new URL(baseUrl).hostname);
  if (!isLocal && isLoopback(new URL(access.publicUrl).hostname)) {
    const missing = `the service can't reach ${access.publicUrl}; expected sink --public-url`;
    return { access: null, missing };
  }
  // Who reaches the sink through another address does not reach its second port.
  const isDirect = isLocal && isLoopback(new URL(access.publicUrl).hostname);
  const refusingUrl = isDirect ? access.refusingUrl : null;
  return { access: { ...access, refusingUrl }, missing: null };
}

/** The address that was asked is the one that works from here, whatever the sink calls itself. */
async function ask(queryUrl: string): Promise<ReceiverAccess> {
  if (!URL.canParse(queryUrl)) throw refusal(queryUrl, "is no URL");
  let answer: unknown;
  try {
    const response = await fetch(`${queryUrl}/access`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    answer = await response.json();
  } catch {
    throw refusal(queryUrl, "gave no answer of a sink to GET /access");
  }
  const access = receiverAccess.safeParse(answer);
  if (!access.success) throw refusal(queryUrl, "gave another answer than a sink to GET /access");
  return { ...access.data, queryUrl };
}

function refusal(queryUrl: string, what: string): UsageError {
  const expected = "expected the query address that `plumbline sink` printed, while it runs";
  return new UsageError("invalid-option", [`--receiver: ${queryUrl} ${what}; ${expected}`]);
}
