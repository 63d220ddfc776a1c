/** Posts one delivery on a connection of its own, and tells what came back and when. */

import type { Agent } from "node:http";
import { request } from "node:http";
import { performance } from "node:perf_hooks";

export interface Posted {
  /** 0 when there was no answer. */
  status: number;
  /** Code of the error that stood for an answer; null when there was one. */
  error: string | null;
  sentAtMs: number;
  tookMs: number;
}

interface PostOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Hangs up once it is settled. */
  until?: Promise<unknown>;
  /** Keeps connections; left out: there is a new one. */
  agent?: Agent;
}

export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

export function post(url: string, options: PostOptions = {}): Promise<Posted> {
  const { method = "POST", body = "{}", headers = {}, until, agent = false } = options;
  const sentAtMs = nowMs();
  return new Promise((resolve) => {
    const end = (status: number, error: string | null) =>
      resolve({ status, error, sentAtMs, tookMs: nowMs() - sentAtMs });
    const length = String(Buffer.byteLength(body));
    const sent = request(
      url,
      { method, agent, headers: { "content-length": length, ...headers } },
      (response) => {
        response.resume();
        response.on("end", () => end(response.statusCode ?? 0, null));
        response.on("error", () => {});
      },
    );
    sent.on("error", (error) => end(0, "code" in error ? String(error.code) : error.message));
    until?.finally(() => sent.destroy());
    sent.end(body);
  });
}

/** A token that nobody else uses. */
export function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64url");
}
