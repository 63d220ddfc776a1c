/** One HTTP/1.1 GET written byte by byte, as HTTP libraries spell header names their own way. */

import net from "node:net";
import tls from "node:tls";
import type { TransportError } from "../../contract/exchange.ts";
import { transportError } from "../../contract/transport-error.ts";
import { RawAnswerParser } from "./raw-answer.ts";

/** Ours: a service that takes longer than this to answer a small GET is as good as away. */
const TIME_LIMIT_MS = 15_000;

export interface RawAnswer {
  /** 0 when no complete head of an answer arrived. */
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  error: TransportError | null;
  sentAtMs: number;
  receivedAtMs: number;
}

/** Header lines are sent as they are spelled. Rejects only when the signal is aborted. */
export async function rawGet(
  url: URL,
  headers: readonly (readonly [string, string])[],
  signal: AbortSignal,
): Promise<RawAnswer> {
  signal.throwIfAborted();
  const sentAtMs = Date.now();
  const parser = new RawAnswerParser();
  let error: TransportError | null = null;
  try {
    await converse(url, requestText(url, headers), parser, signal);
    if (parser.status === 0) error = "reset";
  } catch (thrown) {
    signal.throwIfAborted();
    if (!parser.hasHead) error = transportError(thrown);
  }
  const { status, headers: received, body } = parser;
  return { status, headers: received, body, error, sentAtMs, receivedAtMs: Date.now() };
}

function requestText(url: URL, headers: readonly (readonly [string, string])[]): string {
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    "Accept: application/json",
    "Connection: close",
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Resolves when the answer is complete or the peer has closed. */
function converse(
  url: URL,
  request: string,
  parser: RawAnswerParser,
  signal: AbortSignal,
): Promise<void> {
  const socket = connect(url);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  return new Promise<void>((resolve, reject) => {
    const onAbort = () => reject(limit.reason);
    limit.addEventListener("abort", onAbort, { once: true });
    socket.on("data", (bytes: Buffer) => {
      if (parser.add(bytes)) resolve();
    });
    socket.once("error", reject);
    socket.once("close", () => resolve());
    socket.write(request);
  }).finally(() => socket.destroy());
}

function connect(url: URL): net.Socket {
  const secure = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (secure ? 443 : 80));
  if (!secure) return net.connect({ host, port });
  const servername = net.isIP(host) === 0 ? { servername: host } : {};
  return tls.connect({ host, port, ALPNProtocols: ["http/1.1"], ...servername });
}
