/** A front before a service that says each caller's key, and its own secrets, in all answers. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { listen } from "../http/listen.ts";
import { spelt } from "./spellings.ts";

export interface Front {
  url: string;
  close(): void;
}

interface Leaking {
  /** What callers use, and what the service knows in its place. */
  keys: ReadonlyMap<string, string>;
  /** Others of the service: it says them as well. */
  secrets: readonly string[];
  onRequest: () => void;
}

export async function leakingFront(
  serviceUrl: string,
  { keys, secrets, onRequest }: Leaking,
): Promise<Front> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    onRequest();
    const key = String(request.headers["x-api-key"] ?? "");
    const known = keys.get(key) ?? key;
    const { method = "GET" } = request;
    const answered = await fetch(serviceUrl + request.url, {
      method,
      headers: {
        ...(key === "" ? {} : { "x-api-key": known }),
        "content-type": request.headers["content-type"] ?? "application/json",
      },
      body: method === "GET" ? null : new Uint8Array(await buffer(request)),
      redirect: "manual",
    });
    const text = leaking(await answered.text(), [key, ...secrets]);
    const { "content-length": _length, ...headers } = Object.fromEntries(answered.headers);
    response.writeHead(answered.status, { ...headers, "x-request-id": JSON.stringify(key) });
    response.end(text);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The body with each secret in each spelling, beside what it says; as an error's message, too. */
function leaking(text: string, secrets: readonly string[]): string {
  const body: unknown = text === "" ? null : JSON.parse(text);
  if (typeof body !== "object" || body === null || Array.isArray(body)) return text;
  const all = secrets.flatMap(spelt).join(" ");
  const message = "message" in body ? { message: `${String(body.message)} ${all}` } : {};
  return JSON.stringify({ ...body, ...message, your_secrets: all });
}
