/**
 * Downloads a file for its size alone: without a key, each redirect told and not followed, nothing
 * kept, bounded in bytes and time.
 */

import { ProxyAgent, request } from "undici";
import type { TransportError } from "../contract/requests/exchange.ts";
import { USER_AGENT } from "../contract/requests/routes.ts";
import { transportError } from "../contract/requests/transport-error.ts";
import { proxyFor } from "./proxy.ts";

export interface Download {
  /** 0 where no whole answer came. */
  status: number;
  /** Of the body; null where it came packed, or was longer than anyone reads here. */
  bytes: number | null;
  /** Where a redirect leads; null without one. */
  location: string | null;
  error: TransportError | null;
}

/** The size is that of the file itself, so that it must not come packed. */
export const DOWNLOAD_HEADERS = {
  accept: "*/*",
  "accept-encoding": "identity",
  "user-agent": USER_AGENT,
} as const;

/** Ours: results of jobs; a longer one is not read to its end. */
const BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

/** Rejects only when the signal is aborted. */
export async function download(url: string, signal: AbortSignal): Promise<Download> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let agent: ProxyAgent | null = null;
  try {
    const proxy = proxyFor(url, process.env);
    agent = proxy === null ? null : new ProxyAgent(proxy);
    const by = agent === null ? {} : { dispatcher: agent };
    const answer = await request(url, { headers: DOWNLOAD_HEADERS, signal: limited, ...by });
    const bytes = await sizeOf(answer.body);
    const isPacked = (answer.headers["content-encoding"] ?? "identity") !== "identity";
    const { location } = answer.headers;
    return {
      status: answer.statusCode,
      bytes: isPacked ? null : bytes,
      location: typeof location === "string" ? location : null,
      error: null,
    };
  } catch (error) {
    signal.throwIfAborted();
    const isLate = limited.aborted;
    return {
      status: 0,
      bytes: null,
      location: null,
      error: isLate ? "timeout" : transportError(error as Error),
    };
  } finally {
    await agent?.destroy();
  }
}

/** null where there are more than BYTES_MAX. */
async function sizeOf(body: AsyncIterable<Buffer>): Promise<number | null> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > BYTES_MAX) return null;
  }
  return bytes;
}
