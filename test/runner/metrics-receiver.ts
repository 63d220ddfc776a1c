/** Accepts or refuses remote writes, as a Prometheus would, and keeps what was posted. */

import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

interface Post {
  headers: IncomingHttpHeaders;
  url: string;
  body: string;
}

/** Ends with the test. A label is short enough to pass Snappy as it is. */
export async function startMetricsReceiver(
  status: number,
): Promise<{ url: string; posts: Post[] }> {
  const posts: Post[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString("latin1");
    posts.push({ headers: request.headers, url: request.url ?? "", body });
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/api/v1/write`, posts };
}
