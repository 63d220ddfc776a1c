/**
 * Toxiproxy as the network between two programs: what it breaks, slows, slices or swallows are the
 * bytes of real connections. https://github.com/Shopify/toxiproxy#toxics
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { guardGroup } from "../../runner/orphan-guard.ts";
import { goTool } from "../go-tool.ts";
import { freePort } from "../http/free-port.ts";
import { untilItListens } from "./until-it-listens.ts";

/** To the program behind the proxy, or back from it. */
type Stream = "upstream" | "downstream";

/** Times in milliseconds, rates in kilobytes a second; a slicer's delay is in microseconds. */
export type Toxic = { stream: Stream } & (
  | { type: "bandwidth"; rate: number }
  | { type: "latency"; latency: number; jitter: number }
  | { type: "limit_data"; bytes: number }
  | { type: "reset_peer"; timeout: number; toxicity?: number }
  | { type: "slow_close"; delay: number }
  | { type: "slicer"; average_size: number; delay: number }
  | { type: "timeout"; timeout: 0 }
);

/** Ours: longer than any time limit of a test. */
const NEVER_MS = 600_000;

/** Nothing arrives, not even the end of the connection. */
export const blackHole = (stream: Stream): readonly Toxic[] => [
  { type: "timeout", stream, timeout: 0 },
  { type: "slow_close", stream, delay: NEVER_MS },
];

/**
 * From its first byte a connection is one that resets where it ends (`SO_LINGER` of 0). The toxic
 * would drop what it is given; with no toxicity it passes all on.
 */
export const endsInReset = (stream: Stream): readonly Toxic[] => [
  { type: "reset_peer", stream, timeout: 0, toxicity: 0 },
];

/** So many bytes arrive, and then the connection ends. */
export const cutAfter = (stream: Stream, bytes: number): readonly Toxic[] => [
  { type: "limit_data", stream, bytes },
];

/** So many bytes arrive, and then the connection is reset on both sides. */
export const resetAfter = (stream: Stream, bytes: number): readonly Toxic[] => [
  ...endsInReset(stream),
  ...cutAfter(stream, bytes),
];

/** Each byte in a packet of its own, so far apart. */
export const byteByByte = (stream: Stream, gapMs: number): readonly Toxic[] => [
  { type: "slicer", stream, average_size: 1, delay: gapMs * 1_000 },
];

/** A kilobyte a second, in packets that are late by chance. */
export const slowLine = (stream: Stream): readonly Toxic[] => [
  { type: "bandwidth", stream, rate: 1 },
  { type: "latency", stream, latency: 100, jitter: 80 },
];

interface ProxyInFront {
  /** Of the upstream, by way of the proxy. */
  url: string;
  /** For what is open, and for what is opened from now on. */
  add(toxics: readonly Toxic[]): Promise<void>;
  /** Closes what is open, and opens no more through toxics. */
  heal(): Promise<void>;
}

export interface Toxiproxy {
  /** A proxy in front of the program with this URL, until the test is over. */
  front(upstreamUrl: string, toxics?: readonly Toxic[]): Promise<ProxyInFront>;
  close(): Promise<void>;
}

export async function startToxiproxy(): Promise<Toxiproxy> {
  const program = await goTool("toxiproxy");
  const port = await freePort();
  const args = ["-host", "127.0.0.1", "-port", String(port)];
  const child = spawn(program, args, {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
    env: { LOG_LEVEL: "fatal" },
  });
  const ended = once(child, "exit");
  const dismissGuard = child.pid === undefined ? () => {} : guardGroup(child.pid);
  const close = async () => {
    child.kill("SIGKILL");
    await ended;
    dismissGuard();
  };
  try {
    await untilItListens(child, port, "toxiproxy");
  } catch (error) {
    await close();
    throw error;
  }
  let fronts = 0;
  return {
    async front(upstreamUrl, toxics = []) {
      fronts += 1;
      return await openFront(`http://127.0.0.1:${port}`, `front-${fronts}`, upstreamUrl, toxics);
    },
    close,
  };
}

async function openFront(
  apiUrl: string,
  name: string,
  upstreamUrl: string,
  toxics: readonly Toxic[],
): Promise<ProxyInFront> {
  const { host: upstream } = new URL(upstreamUrl);
  const proxy = { name, upstream, listen: "127.0.0.1:0", enabled: true };
  const { listen } = (await call("POST", `${apiUrl}/proxies`, proxy)) as { listen: string };
  const own = `${apiUrl}/proxies/${name}`;
  onTestFinished(async () => void (await call("DELETE", own)));
  let added = 0;
  const front = {
    url: `http://${listen}`,
    async add(more: readonly Toxic[]) {
      for (const { type, stream, ...rest } of more) {
        const { toxicity = 1, ...attributes } = { toxicity: undefined, ...rest };
        added += 1;
        const toxic = { name: `${type}-${added}`, type, stream, toxicity, attributes };
        await call("POST", `${own}/toxics`, toxic);
      }
    },
    async heal() {
      await call("POST", own, { ...proxy, listen, enabled: false });
      const present = (await call("GET", `${own}/toxics`)) as { name: string }[];
      for (const toxic of present) await call("DELETE", `${own}/toxics/${toxic.name}`);
      await call("POST", own, { ...proxy, listen, enabled: true });
    },
  };
  await front.add(toxics);
  return front;
}

/** What it answers; throws with what it refuses. */
async function call(method: string, url: string, body?: object): Promise<unknown> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...sent });
  const text = await response.text();
  if (!response.ok) throw new Error(`toxiproxy refused ${method} ${url}: ${text}`);
  return text === "" ? null : JSON.parse(text);
}
