/** Asks the suite's own webhook receiver what has arrived. Never touches the service. */

import type {
  ArrivalsAnswer,
  DeliveriesAnswer,
  Delivery,
  ReceiverAccess,
} from "../../contract/jobs/delivery.ts";
import type { LagSpan } from "../../contract/time/lag.ts";
import type { World } from "../world/world.ts";
import { querySecret } from "./plan.ts";

/** Ours: a long poll takes at most half a minute; the rest is the machine's. */
const QUERY_TIMEOUT_MS = 45_000;

/** Deliveries of a token beyond the first `after`; waits up to `waitMs` for one. */
export async function deliveriesOf(
  world: World,
  access: ReceiverAccess,
  token: string,
  after: number,
  waitMs: number,
): Promise<readonly Delivery[]> {
  const query = `token=${token}&after=${after}&waitMs=${Math.max(0, Math.round(waitMs))}`;
  const answer = await ask(world, access, "GET", `/deliveries?${query}`);
  return (answer as DeliveriesAnswer).deliveries;
}

/** Opens the port that has refused connections so far. */
export async function openRefusing(world: World, access: ReceiverAccess): Promise<void> {
  await ask(world, access, "POST", "/open-refusing");
}

/** How far what the receiver tells can be relied on. */
export interface ReceiverState {
  /** How late its own event loop ran at most times: its stamps are as exact as that. */
  loopDelayMsP99: number;
  /** What its bounds evicted since it was opened. */
  evictedDeliveries: number;
  evictedTokens: number;
}

export async function receiverState(world: World, access: ReceiverAccess): Promise<ReceiverState> {
  const stats = await statsOf(world, access);
  const { loopDelayMsP99 = 0, evictedDeliveries = 0, evictedTokens = 0 } = stats;
  return { loopDelayMsP99, evictedDeliveries, evictedTokens };
}

/** When the suite's machine was late, of the last 10 s; by the receiver's clock. */
export async function hostLagsOf(
  world: World,
  access: ReceiverAccess,
): Promise<readonly LagSpan[]> {
  return (await statsOf(world, access)).hostLags ?? [];
}

/** How busy the suite's machine is, of the last 2 s; 0 where the receiver does not tell. */
export interface MachineReading {
  /** How late threads ran, at worst. */
  hostLagMs: number;
  runnablePerCore: number;
}

export async function readMachine(world: World, access: ReceiverAccess): Promise<MachineReading> {
  const { hostLagMs = 0, runnablePerCore = 0 } = await statsOf(world, access);
  return { hostLagMs, runnablePerCore };
}

/** What the receiver tells of itself; an earlier version tells less. */
type Stats = Partial<ReceiverState & MachineReading & { hostLags: readonly LagSpan[] }>;

async function statsOf(world: World, access: ReceiverAccess): Promise<Stats> {
  return (await ask(world, access, "GET", "/stats")) as Stats;
}

/** Ours: a machine that is busy answers in this time, too. */
const FEED_TIMEOUT_MS = 15_000;

/** Deliveries at all tokens of that beginning, in the order of their arrival; a page of them. */
export async function arrivalsAt(
  world: World,
  access: ReceiverAccess,
  page: { prefix: string; after: number; waitMs: number; limit: number },
): Promise<ArrivalsAnswer> {
  const { prefix, after, waitMs, limit } = page;
  const query = `after=${after}&waitMs=${waitMs}&limit=${limit}&prefix=${prefix}`;
  const path = `/arrivals?${query}`;
  return (await ask(world, access, "GET", path, { timeoutMs: FEED_TIMEOUT_MS })) as ArrivalsAnswer;
}

/** What was read makes room, so that nothing that was not read is evicted. */
export async function forget(
  world: World,
  access: ReceiverAccess,
  tokens: readonly string[],
): Promise<void> {
  const body = JSON.stringify({ tokens });
  await ask(world, access, "POST", "/forget", { body, timeoutMs: FEED_TIMEOUT_MS });
}

async function ask(
  world: World,
  access: ReceiverAccess,
  method: "GET" | "POST",
  path: string,
  { body = null, timeoutMs = QUERY_TIMEOUT_MS }: { body?: string | null; timeoutMs?: number } = {},
): Promise<unknown> {
  const authorization = { Authorization: `Bearer ${querySecret(world, access)}` };
  const response = await world.request({
    method,
    url: access.queryUrl + path,
    headers:
      body === null ? authorization : { ...authorization, "Content-Type": "application/json" },
    body,
    timeoutMs,
    name: "receiver",
  });
  if (response.status !== 200 && response.status !== 204) {
    throw new Error(`the receiver answered ${response.status} to ${method} ${path.split("?")[0]}`);
  }
  return response.status === 204 ? {} : (JSON.parse(response.body || "{}") as unknown);
}
