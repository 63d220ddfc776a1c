/** Asks the suite's own webhook receiver what has arrived. Never touches the service. */

import http from "k6/http";
import type { Delivery, ReceiverAccess } from "../../contract/delivery.ts";
import type { Stretch } from "./lag.ts";
import { querySecret } from "./plan.ts";

/** Ours: a long poll takes at most half a minute; the rest is the machine's. */
const QUERY_TIMEOUT_MS = 45_000;

interface Deliveries {
  deliveries: readonly Delivery[];
}

/** Deliveries of a token beyond the first `after`; waits up to `waitMs` for one. */
export async function deliveriesOf(
  access: ReceiverAccess,
  token: string,
  after: number,
  waitMs: number,
): Promise<readonly Delivery[]> {
  const query = `token=${token}&after=${after}&waitMs=${Math.max(0, Math.round(waitMs))}`;
  const answer = await ask(access, "GET", `/deliveries?${query}`);
  return (answer as Deliveries).deliveries;
}

/** Opens the port that has refused connections so far. */
export async function openRefusing(access: ReceiverAccess): Promise<void> {
  await ask(access, "POST", "/open-refusing");
}

/** How far what the receiver tells can be relied on. */
export interface ReceiverState {
  /** How late its own event loop ran at most times: its stamps are as exact as that. */
  loopDelayMsP99: number;
  /** What its bounds pushed out since it was opened. */
  evictedDeliveries: number;
  evictedTokens: number;
}

export async function receiverState(access: ReceiverAccess): Promise<ReceiverState> {
  const answer = (await ask(access, "GET", "/stats")) as Partial<ReceiverState>;
  const { loopDelayMsP99 = 0, evictedDeliveries = 0, evictedTokens = 0 } = answer;
  return { loopDelayMsP99, evictedDeliveries, evictedTokens };
}

/** When the suite's machine was late, of the last 10 s; by the receiver's clock. */
export async function hostLagsOf(access: ReceiverAccess): Promise<readonly Stretch[]> {
  const answer = (await ask(access, "GET", "/stats")) as { hostLags?: Stretch[] };
  return answer.hostLags ?? [];
}

/** How busy the suite's machine is, of the last 2 s; 0 where the receiver does not tell. */
export interface MachineLook {
  /** How late threads ran, at worst. */
  hostLagMs: number;
  runnablePerCore: number;
}

export async function lookAtMachine(access: ReceiverAccess): Promise<MachineLook> {
  const { hostLagMs = 0, runnablePerCore = 0 } = (await ask(
    access,
    "GET",
    "/stats",
  )) as Partial<MachineLook>;
  return { hostLagMs, runnablePerCore };
}

/** What every query carries. */
export function queryHeaders(access: ReceiverAccess): { Authorization: string } {
  return { Authorization: `Bearer ${querySecret(access)}` };
}

async function ask(access: ReceiverAccess, method: "GET" | "POST", path: string): Promise<unknown> {
  const url = access.queryUrl + path;
  const response = await http.asyncRequest(method, url, null, {
    headers: queryHeaders(access),
    timeout: QUERY_TIMEOUT_MS,
    tags: { name: "receiver" },
    responseType: "text",
  });
  if (response.status !== 200 && response.status !== 204) {
    throw new Error(`the receiver answered ${response.status} to ${method} ${url.split("?")[0]}`);
  }
  return response.status === 204 ? {} : (JSON.parse(response.body || "{}") as unknown);
}
