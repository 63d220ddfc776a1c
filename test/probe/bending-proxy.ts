/** A proxy before a service that may rewrite, or hold back, what passes through it. */

import type { IncomingMessage } from "node:http";
import { serve } from "../http/serve.ts";

export interface Bends {
  /** The body that is passed on. */
  request?: (body: string, request: IncomingMessage) => string;
  /** The body that is answered with; null: the connection is torn down instead. */
  answer?: (body: string, request: IncomingMessage) => string | null | Promise<string | null>;
}

/** Gives back its address. */
export async function bendingProxy(baseUrl: string, bends: Bends): Promise<string> {
  return await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const asked = Buffer.concat(chunks).toString();
    const answer = await fetch(baseUrl + request.url, {
      method: request.method ?? "GET",
      headers: headersOf(request),
      body: asked === "" ? null : (bends.request?.(asked, request) ?? asked),
    });
    const body = await answer.text();
    const bent = bends.answer === undefined ? body : await bends.answer(body, request);
    if (bent === null) return void request.socket.destroy();
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(bent);
  });
}

/** All but those that are about the connection, or about the body as it was. */
function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const own = ["host", "connection", "content-length", "transfer-encoding", "expect"];
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      own.includes(name) || typeof value !== "string" ? [] : [[name, value] as const],
    ),
  );
}
