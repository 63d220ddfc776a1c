/** Posts a webhook over HTTP: one attempt, to an allowed address, which ends with its limit. */

import { Agent, request } from "undici";
import { codeOf } from "../../contract/text/thrown.ts";
import type { Clock } from "../../contract/time/clock.ts";
import type { Lookup, WebhookReach } from "./addresses.ts";
import { boundedLookup, mayName } from "./addresses.ts";
import type { PostWebhook } from "./sender.ts";

export interface HttpPost {
  post: PostWebhook;
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/**
 * Unless told otherwise each post has a connection of its own: no stale one looks like failure. An
 * address beyond the reach is a failure, too, without a connection. `lookup` asks for names.
 */
export function createHttpPost(clock: Clock, reach: WebhookReach, lookup?: Lookup): HttpPost {
  const agent = new Agent({ pipelining: 1, connect: { lookup: boundedLookup(reach, lookup) } });
  return {
    close: () => agent.destroy(),
    async post({ url, headers, body, limitMs, method, keepsConnection }) {
      if (!mayName(url, reach)) return { status: 0, cause: "broken-off" };
      const abort = new AbortController();
      const callOff = clock.after(limitMs, () => abort.abort());
      try {
        const answer = await request(url, {
          dispatcher: agent,
          method,
          headers,
          body,
          reset: !keepsConnection,
          headersTimeout: 0,
          bodyTimeout: 0,
          signal: abort.signal,
        });
        answer.body
          .dump()
          .catch(() => undefined)
          .finally(callOff);
        const namesPage = answer.headers.location !== undefined;
        return { status: answer.statusCode, cause: "answered", namesPage };
      } catch (error) {
        callOff();
        if (abort.signal.aborted) return { status: 0, cause: "no-answer" };
        const cause = codeOf(error) === "ECONNREFUSED" ? "refused" : "broken-off";
        return { status: 0, cause };
      }
    },
  };
}
