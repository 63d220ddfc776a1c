/**
 * What a webhook costs the receiver, beside a bare node:http that answers anything; and how true
 * its stamps are while the main thread of its process stands still.
 *
 * npm run bench -- --only receiver
 */

import { once } from "node:events";
import { Pool } from "undici";
import { quantileOf } from "../capacity/statistics/moments.ts";
import { nowMs } from "../clock/system-clock.ts";
import { usedMs } from "./processor-time.ts";
import type { Stall } from "./receiver-service.ts";
import { measure } from "./row.ts";
import type { Server } from "./server.ts";
import { startServer } from "./server.ts";

/** Ours: some seconds of a core. */
const POSTS = 8_000;
const CONNECTIONS = 32;
const BODY = JSON.stringify({ event: "job.completed", job_id: "job_1", status: "SUCCEEDED" });
const HEADERS = { "content-type": "application/json", "x-service-signature": "0".repeat(64) };

let posted = 0;
const tokenOf = (post: number) => `bench-${String(post).padStart(26, "0")}`;

async function post(pool: Pool): Promise<void> {
  posted += 1;
  const path = `/d/${tokenOf(posted)}/200`;
  const options = { method: "POST", path, headers: HEADERS, body: BODY } as const;
  const { statusCode, body } = await pool.request(options);
  await body.dump();
  if (statusCode !== 200) throw new Error(`a webhook was answered ${statusCode}`);
}

/** Posts that were answered for a millisecond of processor time. */
async function perMs(pool: Pool, pid: number): Promise<number> {
  const before = await usedMs(pid);
  let left = POSTS;
  const postInTurns = async () => {
    for (; left > 0; left -= 1) await post(pool);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, postInTurns));
  return POSTS / ((await usedMs(pid)) - before);
}

/** Ours: each post meets another moment of a stall. */
const STALL: Stall = { stallMs: 50, everyMs: 100 };
const STAMPED = 500;
const PAUSE_MS = 7;

let after = 0;

async function arrivedOf({ process: child }: Server): Promise<ReadonlyMap<string, number>> {
  child.send({ after });
  const [told] = (await once(child, "message")) as [{ next: number; arrived: [string, number][] }];
  after = told.next;
  return new Map(told.arrived);
}

async function allArrived(server: Server): Promise<readonly (readonly [string, number])[]> {
  const page = [...(await arrivedOf(server))];
  return page.length === 0 ? page : [...page, ...(await allArrived(server))];
}

/** By how much arrivals are stamped later than they were sent; p99, in ms. */
async function stampErrorMs(server: Server, pool: Pool): Promise<number> {
  await allArrived(server);
  server.process.send(STALL);
  const sentAtMs = new Map<string, number>();
  for (let at = 0; at < STAMPED; at += 1) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    sentAtMs.set(tokenOf(posted + 1), nowMs());
    await post(pool);
  }
  const errors = (await allArrived(server)).map(([token, atMs]) => {
    return Math.abs(atMs - (sentAtMs.get(token) ?? Number.NaN));
  });
  if (errors.length !== STAMPED) throw new Error(`${errors.length} of ${STAMPED} posts arrived`);
  return quantileOf(errors, 0.99);
}

const [receiver, bare] = [
  await startServer("receiver-service.ts"),
  await startServer("bare-service.ts"),
];
const pools = [receiver, bare].map(
  ({ baseUrl }) => new Pool(baseUrl, { connections: CONNECTIONS }),
);
const [own, other] = pools as [Pool, Pool];
try {
  await measure({
    figures: [
      { name: "receiver-posts", what: "posts a ms of processor time", goal: { atLeast: 0.6 } },
    ],
    subject: "the receiver, store and signature included",
    peer: "bare `node:http`",
    measureSubject: async () => [await perMs(own, receiver.pid)],
    measurePeer: async () => [await perMs(other, bare.pid)],
  });
  await measure({
    figures: [{ name: "receiver-stamps", what: "error of stamps, p99 ms", goal: { atMost: 5 } }],
    subject: "the receiver, its main thread still for 50 ms of 100",
    peer: null,
    measureSubject: async () => [await stampErrorMs(receiver, own)],
  });
} finally {
  await Promise.all(pools.map((pool) => pool.close()));
  for (const each of [receiver, bare]) each.process.kill();
}
