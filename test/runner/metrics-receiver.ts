/** Accepts or refuses remote writes, as a Prometheus would, and keeps what was posted. */

import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { serve } from "../http/serve.ts";
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
  const address = await serve(async (request, response) => {
    try {
      const series = decodeWriteRequest(await buffer(request));
      posts.push({ headers: request.headers, url: request.url ?? "", series });
      response.writeHead(status).end();
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  });
  return { url: `${address}/api/v1/write`, posts };
}
