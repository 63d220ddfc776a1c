/** Accepts or refuses remote writes, as a Prometheus would, and keeps what was posted. */

import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { SentSeries } from "./remote-write-request.ts";
import { decodeWriteRequest } from "./remote-write-request.ts";

interface Post {
  headers: IncomingHttpHeaders;
  url: string;
  series: readonly SentSeries[];
}

/** Ends with the test. What can't be decoded is answered 500, and not kept. */
export async function startMetricsReceiver(
  status: number,
): Promise<{ url: string; posts: Post[] }> {
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    try {
      const series = decodeWriteRequest(await buffer(request));
      posts.push({ headers: request.headers, url: request.url ?? "", series });
      response.writeHead(status).end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/v1/write`, posts };
}
